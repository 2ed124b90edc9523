/** Numbers of cards, their verification values, and how they are kept. */
import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createCardVault } from '../../../adapters/card-vault.ts';
import { expiryOf, withCheckDigit } from '../../../domain/cards/cards.ts';
import { verificationValue } from '../../../domain/cards/verification-value.ts';

const PUBLISHED = {
  key: '0123456789ABCDEFFEDCBA9876543210',
  pan: '4123456789012345',
  expiry: '01/87',
  serviceCode: '101',
};

test('the verification value is the published one', () => {
  expect(verificationValue(PUBLISHED)).toBe('561');
});

test.each([
  ['key', '0123'],
  ['pan', '41x3456789012345'],
  ['expiry', '13/87'],
  ['expiry', '8701'],
  ['serviceCode', '10'],
])('a %s of another form throws', (field, value) => {
  expect(() => verificationValue({ ...PUBLISHED, [field]: value })).toThrow(TypeError);
});

test.each([
  [411111111111111n, '4111111111111111'],
  [555555555555444n, '5555555555554444'],
  [37828224631000n, '378282246310005'],
])('the check digit of %s', (number, pan) => {
  expect(withCheckDigit(number)).toBe(pan);
});

test('the expiry is written as on a card', () => {
  expect(expiryOf('2030-02-28')).toBe('02/30');
});

test('a number opens for its card only, is found under every key, and keeps its verification value after a rotation', () => {
  const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
  const [old, next] = [key('a'), key('b')];
  const [before, after] = [createCardVault([old]), createCardVault([next, old])];
  const pan = '4111111111111111';
  const sealed = before.seal(pan, 'one');
  expect(sealed.toString('latin1')).not.toContain(pan);
  expect(after.open(sealed, 'one')).toBe(pan);
  expect(() => after.open(sealed, 'other')).toThrow();
  expect(after.keyId).toBe('b');
  expect(after.indexes(pan)).toHaveLength(2);
  expect(after.indexes(pan)[1]).toEqual(before.indexes(pan)[0]);
  const value = before.cvv('a', pan, '11/30');
  expect(value).toMatch(/^\d{3}$/);
  expect(after.cvv('a', pan, '11/30')).toBe(value);
  expect(after.cvv('b', pan, '11/30')).not.toBe(undefined);
  expect(() => before.cvv('b', pan, '11/30')).toThrow(/not in the ring/);
});
