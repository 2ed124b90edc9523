/** Which language somebody reads. */
import { expect, test } from '@jest/globals';
import { languageOf } from '../../../domain/notifications/messages.ts';
import { localesFor } from '../../../domain/notifications/notifications.ts';

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

test.each([
  ['de-AT', ['de-AT', 'de', 'en']],
  ['pt', ['pt', 'en']],
  ['en', ['en']],
])('texts for %j are looked for in %j', (locale, order) => {
  expect(localesFor(locale)).toEqual(order);
});
