/** Views and merge patches in which nothing but the names differs. */
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { patchOf, viewOf, written } from '../../../api/wire/rows.ts';
import { Money, Timestamp } from '../../../api/wire/shapes.ts';

const Fee = z.strictObject({
  id: z.string(),
  charged_to_account: z.string().nullable(),
  amount: Money,
  created_at: Timestamp,
});
const row = {
  id: 'a',
  chargedToAccount: null,
  amount: { minor: 1_234n, asset: 'EUR' },
  createdAt: new Date('2026-03-01T09:30:00.000Z'),
};

test('a view takes the fields of its schema from a row, and nothing else of it', () => {
  const stored = { ...row, passwordHash: 'secret' };
  expect(viewOf(Fee)(stored)).toStrictEqual({
    id: 'a',
    charged_to_account: null,
    amount: row.amount,
    created_at: row.createdAt,
  });
});

test('a view reads what a row computes', () => {
  const computed = Object.create({ ...row, id: 'computed' }) as typeof row;
  expect(viewOf(Fee)(computed).id).toBe('computed');
});

test('a view is written by the codecs of its schema', () => {
  expect(written(Fee, viewOf(Fee)(row))).toStrictEqual({
    id: 'a',
    charged_to_account: null,
    amount: { amount: '12.34', currency: 'EUR' },
    created_at: '2026-03-01T09:30:00.000Z',
  });
});

test('a patch leaves out what the body leaves out, and clears what the body sets to null', () => {
  const Body = z.strictObject({
    first_name: z.string().optional(),
    postal_address: z.string().nullable().optional(),
    locale: z.string().optional(),
  });
  expect(patchOf(Body.parse({ postal_address: null, first_name: 'Ann' }))).toStrictEqual({
    firstName: 'Ann',
    postalAddress: null,
  });
  expect(patchOf(Body.parse({}))).toStrictEqual({});
});

test('a field that is undefined changes nothing', () => {
  const body: { locale?: string | undefined } = { locale: undefined };
  expect(patchOf(body)).toStrictEqual({});
});
