/** Texts that administrators write: what is refused before it is saved, and at which place. */
import { expect, test } from '@jest/globals';
import { hasForeignLink } from '../../../domain/notifications/links.ts';
import { smsSize } from '../../../domain/notifications/sms.ts';
import type { Variable } from '../../../domain/notifications/notifications.ts';
import { faultsOf } from '../../../services/notifications/texts/checks.ts';
import { fill } from '../../../services/notifications/texts/liquid.ts';
import { renderText } from '../../../services/notifications/texts/rendering.ts';
import { shownValues } from '../../../services/notifications/texts/values.ts';

const variables: readonly Variable[] = [
  { name: 'number', type: 'text', sample: 'T-1', personal: false },
  { name: 'code', type: 'text', sample: '123456', personal: true },
  { name: 'days', type: 'number', sample: '3', personal: false },
];
const RULES = { mustSay: [], publicUrl: 'https://bank.example' };
const check = (body: string, more: object = {}) =>
  faultsOf({ channel: 'email', locale: 'en', subject: 'Hello', body, ...more }, variables, RULES);

test('a good text has no fault', () => {
  expect(
    check(
      'Hello {{ customer.first_name | upcase }},\n{% if days %}{{ days }} {{ days | plural: "day", "days" }}{% endif %}',
    ),
  ).toEqual([]);
});

test.each([
  ['an unknown variable', 'a\n b {{ nothing }}', 'unknown_variable', 2, 7],
  ['an unknown field', '{{ customer.password_hash }}', 'unknown_variable', 1, 4],
  ['a computed name', '{{ customer[number] }}', 'unknown_variable', 1, 4],
  ['an unknown filter', '\n\n{{ number | evil }}', 'template_syntax', 3, 1],
  ['a filter that switches escaping off', '{{ number | raw }}', 'template_syntax', 1, 1],
  ['a tag that reads files', 'a\n{% include "x" %}', 'template_syntax', 2, 1],
  ['a tag that reads files in another way', '{% render "/etc/passwd" %}', 'template_syntax', 1, 1],
  ['a layout from elsewhere', '{% layout "x" %}', 'template_syntax', 1, 1],
  ['a tag that switches checks off', '{% raw %}{{ nothing }}{% endraw %}', 'template_syntax', 1, 1],
  ['a tag that is not closed', '{% if number %}', 'template_syntax', 1, 1],
  ['a loop without an end in sight', '{% for i in (1..100000000) %}x{% endfor %}', 'template_fails', 1, 1],
])('%s is refused with its line and column', (_what, body, code, line, column) => {
  expect(check(body)).toEqual([expect.objectContaining({ pointer: '/body', code, line, column })]);
});

test('a code stands neither in a subject nor in a push message, nor beside a link in a text message', () => {
  expect(check('x', { subject: 'Your code {{ code }}' })).toMatchObject([
    { pointer: '/subject', code: 'secret_shown' },
  ]);
  expect(check('{{ code }}', { channel: 'push' })).toMatchObject([
    { pointer: '/body', code: 'secret_shown' },
  ]);
  expect(check('{{ code }}: {{ app.url }}', { channel: 'sms', subject: null })).toMatchObject([
    { code: 'link_beside_code' },
  ]);
  const joined = '{{ code }} {{ "https" | append: ":" | append: "//bank.example" }}';
  expect(check(joined, { channel: 'sms', subject: null })).toMatchObject([{ code: 'link_beside_code' }]);
});

test('a text links to the bank only', () => {
  expect(check('See https://bank.example/help and {{ app.url }}')).toEqual([]);
  for (const body of ['See https://evil.example', 'www.evil.example', 'x://bank.example.evil'])
    expect(check(body)).toMatchObject([{ pointer: '/body', code: 'foreign_link' }]);
  expect(check('{{ "https" | append: ":" | append: "//evil.example" }}')).toMatchObject([
    { code: 'foreign_link' },
  ]);
  expect(check('x', { subject: 'http://evil.example' })).toMatchObject([
    { pointer: '/subject', code: 'foreign_link' },
  ]);
});

test('the text of a code says the code, and what it confirms', () => {
  const mustSay = variables.filter(({ name }) => name === 'code');
  const text = { channel: 'email', locale: 'en', subject: 'Hello' } as const;
  const rules = { ...RULES, mustSay };
  expect(faultsOf({ ...text, body: 'Enter it.' }, variables, rules)).toMatchObject([
    { code: 'variable_missing' },
  ]);
  expect(faultsOf({ ...text, body: 'Enter {{ code }}.' }, variables, rules)).toEqual([]);
  for (const body of ['{% if days == "none" %}{{ code }}{% endif %}', '{{ code | truncate: 4 }}'])
    expect(faultsOf({ ...text, body }, variables, rules)).toMatchObject([{ code: 'variable_missing' }]);
});

test('doubling a text again and again ends at the limit', () => {
  const doubling = `{% assign a = number %}${'{% assign a = a | append: a %}'.repeat(40)}{{ a }}`;
  expect(check(doubling)).toMatchObject([{ code: 'template_fails' }]);
});

test('a prototype is no variable', () => {
  expect(() => fill('{{ number.constructor }}', { number: 'T-1' }, 'en')).toThrow(/undefined variable/);
});

test('a name that the event does not hold is a fault, never a gap', () => {
  expect(() => fill('{{ number }}', {}, 'en')).toThrow(/undefined variable: number/);
});

test('values are shown as their reader writes them', () => {
  const typed = (type: Variable['type']): Variable[] => [{ name: 'v', type, sample: '', personal: false }];
  const shown = (type: Variable['type'], v: string, locale: string) =>
    shownValues(typed(type), { v, other: 'x' }, { locale, zone: 'Europe/Berlin' });
  expect(shown('money', '1234.50 EUR', 'de')).toEqual({ v: '1.234,50\u00a0€' });
  expect(shown('money', '1234.50 EUR', 'en')).toEqual({ v: '€1,234.50' });
  expect(shown('number', '1234.5', 'de')).toEqual({ v: '1.234,5' });
  expect(shown('day', '2026-03-01', 'de')).toEqual({ v: '1. März 2026' });
  expect(shown('moment', '2026-06-30T22:30:00Z', 'de')).toEqual({ v: '01.07.2026, 00:30 MESZ' });
  expect(shown('moment', '2026-12-31T22:30:00Z', 'de')).toEqual({ v: '31.12.2026, 23:30 MEZ' });
  expect(shown('moment', 'soon', 'de')).toEqual({ v: 'soon' });
});

test.each([
  ['a'.repeat(160), 'GSM-7', 1],
  ['a'.repeat(161), 'GSM-7', 2],
  [`${'a'.repeat(158)}€`, 'GSM-7', 1],
  [`${'a'.repeat(159)}€`, 'GSM-7', 2],
  ['ж'.repeat(70), 'UCS-2', 1],
  ['ж'.repeat(71), 'UCS-2', 2],
] as const)('a text message of %j is %s in %i', (text, encoding, segments) => {
  expect(smsSize(text)).toEqual({ encoding, segments });
});

test.each([
  'evil.com',
  'see evil.online/login',
  'bank.example.evil.com',
  'www.evil.com',
  'ftp://evil.com',
  '//evil.com/a',
])('%j is a link to elsewhere, as mail programs show it', (text) => {
  expect(hasForeignLink(text, 'https://bank.example')).toBe(true);
});

test.each([
  'bank.example/login',
  'Write to help@evil.com',
  'am 01.03.2026 um 10.30 Uhr, z.B. 12.50 EUR',
  'T-1.2.3',
])('%j holds no link to elsewhere', (text) => {
  expect(hasForeignLink(text, 'https://bank.example')).toBe(false);
});

test('a link that plain characters make of a text message leads to elsewhere', () => {
  const sms = { channel: 'sms', subject: null };
  expect(check('See evil.c\u200bom', { ...sms, channel: 'email' })).toEqual([]);
  expect(check('See evil.c\u200bom', sms)).toMatchObject([{ pointer: '/body', code: 'foreign_link' }]);
  expect(check('{{ code }} ht\u00adtps://bank.example', sms)).toMatchObject([{ code: 'link_beside_code' }]);
});

test('a plural follows the number, and a moment the zone of its reader', () => {
  const speaker = { BANK_NAME: 'Bank', BANK_TIME_ZONE: 'UTC', publicUrl: 'https://bank.example' };
  const text = {
    locale: 'en',
    subject: null,
    body: '{{ days }} {{ days | plural: "day", "days" }}, {{ at }}',
  };
  const said = (days: string, timeZone: string | null): string =>
    renderText(text, speaker, {
      ...{ channel: 'email', locale: 'en-GB', values: { days, at: '2026-07-01T22:30:00Z' }, timeZone },
      variables: [
        { name: 'days', type: 'number', sample: '3', personal: false },
        { name: 'at', type: 'moment', sample: '2026-03-01T09:30:00Z', personal: false },
      ],
      ...{ firstName: null, lastName: null },
    }).body;
  expect(said('1', null)).toBe('1 day, 1 Jul 2026, 22:30 UTC');
  expect(said('3', 'Asia/Tokyo')).toBe('3 days, 2 Jul 2026, 07:30 GMT+9');
});
