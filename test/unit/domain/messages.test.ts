/** The texts of messages: complete in every language, and careful with what they say where. */
import { describe, expect, test } from '@jest/globals';
import { messageTexts } from '../../../domain/notifications/message-texts.ts';
import {
  isMessageTemplate,
  LANGUAGES,
  languageOf,
  messageTemplates,
  type MessageTemplate,
} from '../../../domain/notifications/messages.ts';
import { renderMessage } from '../../../domain/notifications/rendered-messages.ts';

const SMS_CHARACTERS = 160;
const templates = Object.keys(messageTemplates).filter(isMessageTemplate);
const cases = LANGUAGES.flatMap((language) => templates.map((template) => [template, language] as const));
/** As long as they get. */
const longest: Record<string, string> = {
  code: '123456',
  payment: '999,999,999.99 EUR = 999,999,999.99 USD to Hélène Mül…r-Lüdens, MT84MALT011000012345MTLCAST001S',
  minutes: '10',
  number: 'T-1000000',
  at: '21.11.2026, 08:00 UTC',
  device: 'Firefox on Linux',
  address: 'fd00:1234:5678:9abc:def0:1234:5678:9abc',
};

const namesIn = (text: string): string[] =>
  [...text.matchAll(/\{\{\s*([a-z_]+)\s*\}\}/g)].map(([, name]) => name ?? '');
const valuesOf = (template: MessageTemplate): Record<string, string> =>
  Object.fromEntries(messageTemplates[template].values.map((name) => [name, longest[name] ?? name]));

describe.each(cases)('%s in %s', (template, language) => {
  const { subject, text, short } = messageTexts[language][template];
  const declared: readonly string[] = messageTemplates[template].values;

  test('uses just the values that it declares, all of them in its text', () => {
    expect(new Set(namesIn(text))).toEqual(new Set(declared));
    for (const name of [...namesIn(subject), ...namesIn(short)]) expect(declared).toContain(name);
  });

  test('says no code in its subject, which a locked screen shows', () => {
    expect(namesIn(subject)).not.toContain('code');
  });

  test('fits one text message with the longest values', () => {
    expect(renderMessage(template, language, valuesOf(template)).short.length).toBeLessThanOrEqual(
      SMS_CHARACTERS,
    );
  });
});

test.each([
  ['de', 'de'],
  ['de-AT', 'de'],
  ['DE', 'de'],
  ['en-GB', 'en'],
  ['fr', 'en'],
  ['', 'en'],
])('the locale %j reads %s', (locale, language) => {
  expect(languageOf(locale)).toBe(language);
});

test('a value that is missing is a mistake of ours, not a gap in a letter', () => {
  expect(() => renderMessage('login_code', 'en', { minutes: '5' })).toThrow('login_code needs a value code');
});

test('a value that looks like a placeholder stays what it is', () => {
  const { text } = renderMessage('new_device', 'en', {
    at: 'now',
    device: '{{ at }} {{ code }}',
    address: '::1',
  });
  expect(text).toContain('{{ at }} {{ code }}');
});
