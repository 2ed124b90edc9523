/** Wire schemas of the books: the movements of an account, the trial balance. */
import { z } from 'zod';
import { AccountId } from '../../domain/ids.ts';
import { named } from '../wire/naming.ts';
import { Day, Instant, Money, Timestamp } from '../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

const Counterparty = z.strictObject({
  name: z
    .string()
    .nullable()
    .describe(
      'Your own account’s name, a payee as you wrote it, another customer’s given name and initial, or a merchant.',
    ),
  account_number: z.string().nullable(),
  iban: z.string().nullable(),
});

const Shape = z.strictObject({
  id: z.uuid().describe('Id of the ledger transaction; both sides of a movement show the same.'),
  account_id: AccountId,
  sequence: z.string().regex(/^\d+$/).describe('Place in this account’s history, from 1 without gaps.'),
  kind: z
    .string()
    .describe(
      '`transfer`, `adjustment`, `reversal`, `settlement`, `return`, `account_fee`, or what else was booked.',
    ),
  part: z
    .string()
    .describe('`principal`, or what else the transaction holds: `fee`; `fx` and `spread` at the bank.'),
  direction: z.enum(['credit', 'debit']),
  amount: Money,
  balance_after: Money,
  description: z.string(),
  counterparty: Counterparty.nullable().describe('null if the other side is the bank.'),
  transfer_id: z.uuid().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  booked_at: Timestamp,
  value_date: z.iso.date().describe('The day from which it counts, for interest and statements.'),
});

const example: z.input<typeof Shape> = {
  id: EXAMPLE_ID,
  account_id: EXAMPLE_ID,
  sequence: '7',
  kind: 'transfer',
  part: 'principal',
  direction: 'debit',
  amount: { amount: '12.34', currency: 'EUR' },
  balance_after: { amount: '1250.00', currency: 'EUR' },
  description: 'Rent',
  counterparty: { name: 'Anna B.', account_number: '100000000287', iban: 'DE02100100109307118603' },
  transfer_id: EXAMPLE_ID,
  metadata: {},
  booked_at: '2026-03-01T09:30:00.000Z',
  value_date: '2026-03-01',
};
export const Transaction = named('Transaction', Shape, example);

/** A list that can also be read back. */
export const TransactionListResponse = named(
  'TransactionListResponse',
  z.strictObject({
    items: z.array(Transaction),
    next_cursor: z.string().nullable().describe('Pass it as `cursor` to read on; null at the end.'),
    prev_cursor: z
      .string()
      .nullable()
      .describe('Pass it as `cursor` to read the page before; null on the first page.'),
  }),
  { items: [example], next_cursor: null, prev_cursor: null },
);

/** A number or IBAN written in groups is one word. */
function ungrouped(text: string): string {
  return /^([A-Z]{2})?[\d\s]{8,}$/i.test(text) || /^[A-Z]{2}\d{2}[\sA-Z0-9]{4,}$/i.test(text)
    ? text.replaceAll(/\s/g, '')
    : text;
}

/** What people type into a search box. It is not kept, so characters that nobody can read are harmless; PostgreSQL takes no controls. */
export const SearchText = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters')
  .transform(ungrouped);

const decimal = z
  .string()
  .max(64)
  .regex(/^(0|[1-9]\d*)(\.\d+)?$/, 'must be a decimal number, such as 12.34');

/** Ways to narrow the movements of an account; all that are given hold at once. */
export const transactionFilters = {
  from: Instant.optional().describe('Booked at this time or later.'),
  to: Instant.optional().describe('Booked before this time.'),
  value_from: Day.optional().describe('First value date.'),
  value_to: Day.optional().describe('Last value date.'),
  min_amount: decimal.optional().describe('In the account’s currency, whatever the direction.'),
  max_amount: decimal.optional(),
  direction: z.enum(['credit', 'debit']).optional(),
  kind: z
    .string()
    .regex(/^[a-z_]{1,40}$/)
    .optional()
    .describe('Such as `transfer` or `account_fee`.'),
  text: SearchText.optional().describe('Words of description or counterparty, or beginnings of them.'),
  order: z.enum(['asc', 'desc']).default('desc').describe('`desc`: newest first.'),
};
