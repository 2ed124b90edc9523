/** What is written is read back as the same value, a fault names its field, and the documentation shows the wire. */
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { codec } from '../../../api/wire/codec.ts';
import { Amount, Money, Timestamp } from '../../../api/wire/shapes.ts';

test.each([
  [{ amount: '12.34', currency: 'EUR' }, 1_234n],
  [{ amount: '-0.05', currency: 'EUR' }, -5n],
  [{ amount: '1200', currency: 'JPY' }, 1_200n],
  [{ amount: '1.234', currency: 'KWD' }, 1_234n],
  [{ amount: '0.00', currency: 'EUR' }, 0n],
  [{ amount: `${'9'.repeat(36)}.99`, currency: 'EUR' }, 10n ** 38n - 1n],
])('%j is read as minor units and written as it was', (wire, minor) => {
  expect(z.decode(Money, wire)).toStrictEqual({ minor, asset: wire.currency });
  expect(z.encode(Money, { minor, asset: wire.currency })).toStrictEqual(wire);
});

test('an amount with fewer digits than its currency has is written with all of them', () => {
  expect(z.encode(Money, z.decode(Money, { amount: '12.3', currency: 'EUR' }))).toStrictEqual({
    amount: '12.30',
    currency: 'EUR',
  });
});

test.each([
  [{ amount: '1.234', currency: 'EUR' }, 'amount'],
  [{ amount: '1', currency: 'ZZZ' }, 'currency'],
  [{ amount: '9'.repeat(40), currency: 'EUR' }, 'amount'],
  [{ amount: 1, currency: 'EUR' }, 'amount'],
])('a fault of %j is a fault of its %s', (wire, field) => {
  const body = z.strictObject({ price: Money });
  expect(body.safeParse({ price: wire }).error?.issues.map(({ path }) => path)).toEqual([['price', field]]);
});

test.each(['0.00', '-1'])('%s is not an amount to be moved', (amount) => {
  const read = Amount.safeParse({ amount, currency: 'EUR' });
  expect(read.error?.issues.map(({ path }) => path)).toEqual([['amount']]);
});

test('a moment is written in UTC with milliseconds and read back as the same moment', () => {
  const moment = new Date('2026-03-01T09:30:00Z');
  expect(z.encode(Timestamp, moment)).toBe('2026-03-01T09:30:00.000Z');
  expect(z.decode(Timestamp, z.encode(Timestamp, moment))).toStrictEqual(moment);
});

test('an answer with a broken date is not written', () => {
  expect(z.safeEncode(z.strictObject({ at: Timestamp }), { at: new Date(NaN) }).success).toBe(false);
});

test('a codec is documented as it is on the wire, in answers too', () => {
  const schema = z.object({
    plain: codec(z.string(), z.date(), { decode: (text) => new Date(text), encode: String }),
    described: Timestamp.describe('When.'),
    optional: Money.nullable(),
  });
  const drawn = (io: 'input' | 'output') =>
    z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => void delete jsonSchema.examples });
  const { properties, $defs } = drawn('output');
  expect(properties).toMatchObject({
    plain: { type: 'string' },
    described: { type: 'string', format: 'date-time', description: 'When.' },
  });
  expect($defs).toMatchObject({ Money: { properties: { amount: { type: 'string' } } } });
  expect(drawn('input').$defs).toStrictEqual($defs);
});
