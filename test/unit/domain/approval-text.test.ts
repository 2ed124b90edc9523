/** What a payer is told before they confirm a payment. */
import { expect, test } from '@jest/globals';
import { approvalText, payeeText } from '../../../domain/notifications/approval-text.ts';

const amount = { minor: 123_456_789n, asset: 'EUR' };
const iban = 'FR1420041010050500013M02606';

test.each([
  ['en', '1,234,567.89 EUR to 100000000287'],
  ['de-AT', '1.234.567,89 EUR an 100000000287'],
  ['pl', '1,234,567.89 EUR to 100000000287'],
])('amount and payee read in the language of %s', (locale, text) => {
  expect(approvalText({ amount, target: null, payee: '100000000287' }, locale)).toBe(text);
});

test('a converted amount is told with what arrives', () => {
  const text = approvalText({ amount, target: { minor: 500n, asset: 'JPY' }, payee: 'x' }, 'en');
  expect(text).toBe('1,234,567.89 EUR = 500 JPY to x');
});

test('the account that decides who is paid is whole, however long the name that the payer typed', () => {
  expect(payeeText({ iban, name: 'Hélène Müller' }, '')).toBe(`Hélène Müller, ${iban}`);
  const long = payeeText({ iban, name: 'A name that would push the account out of a text message' }, '');
  expect(long).toMatch(new RegExp(`^.{20}, ${iban}$`, 'u'));
});

test('a payee is told as the payer named them, an account that was named by its id by its number', () => {
  expect(payeeText({ phone: '+4915123000000' }, '100000000287')).toBe('+4915123000000');
  expect(payeeText({ email: 'ann@example.com' }, '100000000287')).toBe('ann@example.com');
  expect(payeeText({ account_number: '100000000111' }, '100000000287')).toBe('100000000111');
});
