import { z } from 'zod';
import { AccountId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { Holding, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const eur = (amount: string) => ({ amount, currency: 'EUR' });

export const Entry = z.strictObject({
  account_id: AccountId,
  account: z
    .string()
    .describe(
      'A customer’s account number, `coins` for what a customer has of a coin, or the role of the bank’s own account.',
    ),
  sequence: z.string().describe('Counts the entries of the account, without gaps.'),
  part: z.string(),
  amount: Holding.describe('Debits negative.'),
  balance_after: Holding,
});

const EXAMPLE = {
  position: '1041',
  id: EXAMPLE_ID,
  kind: 'transfer',
  source_type: 'transfer',
  source_id: EXAMPLE_ID,
  reverses: null,
  booked_at: '2026-03-01T09:30:00.000Z',
  value_date: '2026-03-01',
  description: 'Rent',
  entries: [
    {
      account_id: EXAMPLE_ID,
      account: '100000000190',
      sequence: '7',
      part: 'principal',
      amount: eur('-12.34'),
      balance_after: eur('87.66'),
    },
  ],
};

export const LedgerEvent = named(
  'LedgerEvent',
  z.strictObject({
    position: z.string().describe('Ascending, with gaps.'),
    id: z.uuid().describe('Id of the ledger transaction. Use it to recognise repeats.'),
    kind: z.string(),
    source_type: z.string(),
    source_id: z.uuid(),
    reverses: z.uuid().nullable(),
    booked_at: Timestamp,
    value_date: z.iso.date(),
    description: z.string(),
    entries: z.array(Entry),
  }),
  EXAMPLE,
);
export const LedgerEventList = named(
  'LedgerEventList',
  z.strictObject({
    items: z.array(LedgerEvent),
    next_after: z.string().describe('Pass it as `after` to read on, now or later.'),
  }),
  { items: [EXAMPLE], next_after: '1041' },
);
