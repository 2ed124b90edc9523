/** Which failures of an activity are retried: what may heal, and nothing that will fail again for ever. */
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { BadInput, isPermanent } from '../../../activities/failures.ts';

/** As the driver throws it, inside the error of the layer above. */
function refused(code: string): Error {
  return new Error('a statement failed', { cause: Object.assign(new Error('refused'), { code }) });
}

test.each([
  ['08006', 'the connection is lost'],
  ['25P03', 'the transaction was idle too long'],
  ['40001', 'a serialization failure'],
  ['40P01', 'a deadlock'],
  ['42883', 'a function that the migration will bring'],
  ['53300', 'too many connections'],
  ['55P03', 'a lock time-out'],
  ['57014', 'a statement time-out'],
  ['57P01', 'the server is stopped'],
  ['57T01', 'the clock has jumped'],
  ['57T02', 'an account was booked ahead of the clock'],
  ['58030', 'a disk fails'],
])('SQLSTATE %s may heal and is retried: %s', (code) => {
  expect(isPermanent(refused(code), 1)).toBe(false);
  expect(isPermanent(refused(code), 50)).toBe(false);
});

test.each([
  ['22003', 'a number is out of range'],
  ['22P02', 'a text is no UUID'],
  ['23502', 'a value is missing'],
  ['23503', 'a reference leads nowhere'],
  ['23514', 'a check is broken'],
  ['P0001', 'a function raises'],
  ['P0002', 'a row is missing'],
])('SQLSTATE %s never heals and is not retried: %s', (code) => {
  expect(isPermanent(refused(code), 1)).toBe(true);
});

test('a unique violation is retried once, because a twin may have been a moment faster', () => {
  expect([1, 2, 3].map((attempt) => isPermanent(refused('23505'), attempt))).toEqual([false, true, true]);
});

test('input that can never be carried out is not retried', () => {
  expect(isPermanent(new BadInput('the transfer is gone'), 1)).toBe(true);
  expect(isPermanent(z.uuid().safeParse('none').error, 1)).toBe(true);
});

test.each(['EPIPE', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT'])(
  'a part that does not answer is retried: %s',
  (code) => {
    expect(isPermanent(refused(code), 9)).toBe(false);
  },
);

test('a fault that says nothing of itself is retried', () => {
  expect(isPermanent(new TypeError('fetch failed'), 9)).toBe(false);
  expect(isPermanent('no error at all', 9)).toBe(false);
});
