/** The layout of mail: text stays text, and the page reads in the direction of its language. */
import { expect, test } from '@jest/globals';
import { mailHtml } from '../../../services/notifications/texts/layout.ts';

const laid = (more: object = {}): string =>
  mailHtml({ subject: 'Hello', body: 'One\ntwo\n\nthree', locale: 'en', bank: 'Teller Bank', ...more });

test('an empty line begins a paragraph, any other one a line', () => {
  expect(laid()).toContain('>One<br>two</p>');
  expect(laid()).toContain('>three</p>');
});

test('nothing that a text holds becomes markup, in the title either', () => {
  const html = laid({ subject: '</title><script>1</script>', body: '<img src=x onerror="1"> & \'' });
  expect(html).not.toMatch(/<script|<img/);
  expect(html).toContain('&lt;img src=x onerror=&quot;1&quot;&gt; &amp; &#39;');
});

test.each([
  ['ar-EG', 'rtl'],
  ['he', 'rtl'],
  ['de-AT', 'ltr'],
])('a text in %s runs %s', (locale, dir) => {
  expect(laid({ locale })).toContain(`<html lang="${locale}" dir="${dir}">`);
});

test('it fits a small screen, and follows a dark scheme', () => {
  expect(laid()).toContain('max-width:560px');
  expect(laid()).toContain('prefers-color-scheme:dark');
});
