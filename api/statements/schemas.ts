/** The statement as JSON; what the other formats hold is the same. */
import { z } from 'zod';
import { AccountId } from '../../domain/ids.ts';
import { named } from '../wire/naming.ts';
import { Day, Money, Timestamp } from '../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const euro = (amount: string) => ({ amount, currency: 'EUR' });

const Line = z.strictObject({
  sequence: z.string().regex(/^\d+$/).describe('Place in the account’s history, from 1 without gaps.'),
  transaction_id: z.uuid().describe('Id of the ledger transaction.'),
  transfer_id: z.uuid().nullable(),
  booking_date: z.iso.date().describe('In the bank’s time zone.'),
  booked_at: Timestamp,
  value_date: z.iso.date(),
  direction: z.enum(['credit', 'debit']),
  amount: Money.describe('Without sign.'),
  balance: Money.describe('After this line.'),
  kind: z
    .string()
    .describe(
      '`transfer`, `adjustment`, `reversal`, `settlement`, `return`, `account_fee`, or what else was booked.',
    ),
  part: z.string().describe('`principal` or `fee`.'),
  description: z.string(),
  counterparty: z
    .strictObject({
      name: z.string().nullable(),
      account_number: z.string().nullable(),
      iban: z.string().nullable(),
      bic: z.string().nullable(),
    })
    .nullable()
    .describe('null where the other side is the bank.'),
  exchange: z
    .strictObject({
      amount: Money.describe('What the other side paid or got.'),
      rate: z
        .string()
        .nullable()
        .describe('Units of the currency that was got for one unit of the one that was paid.'),
    })
    .nullable()
    .describe('Where the other side is in another currency.'),
});

const line: z.input<typeof Line> = {
  sequence: '7',
  transaction_id: EXAMPLE_ID,
  transfer_id: EXAMPLE_ID,
  booking_date: '2026-03-01',
  booked_at: '2026-03-01T09:30:00.000Z',
  value_date: '2026-03-01',
  direction: 'debit',
  amount: euro('12.34'),
  balance: euro('87.66'),
  kind: 'transfer',
  part: 'principal',
  description: 'Rent',
  counterparty: {
    name: 'Anna B.',
    account_number: '100000000287',
    iban: 'DE59999900001000000001',
    bic: null,
  },
  exchange: null,
};
export const StatementLine = named('StatementLine', Line, line);

const Pending = z.strictObject({
  amount: Money.describe('What is held.'),
  made_on: z.iso.date(),
  held_until: z.iso.date(),
  merchant: z.string(),
  place: z.string().describe('City and country.'),
  last_four: z.string().describe('The last four digits of the card’s number.'),
  merchant_amount: Money.nullable().describe('What is paid there, if it is in another currency.'),
});

const Total = z.strictObject({ count: z.int().min(0), amount: Money });

export const TransactionStatementList = named(
  'TransactionStatementList',
  z.strictObject({
    account: z.strictObject({
      id: AccountId,
      number: z.string(),
      iban: z.string().nullable(),
      type: z.string(),
      owner: z.string(),
      currency: z.string(),
    }),
    from: z.iso.date().describe('First day, in `time_zone`.'),
    to: z.iso.date().describe('Last day.'),
    time_zone: z.string(),
    opening_balance: Money.describe('Before the first line: the closing balance of the days before.'),
    closing_balance: Money.describe('After the last line.'),
    credits: Total,
    debits: Total,
    items: z.array(StatementLine).describe('In the order of booking.'),
    pending: z
      .array(Pending)
      .describe(
        'Card payments that hold something now and are not booked yet, newest first, at most a hundred; they may still change. Empty if the period ends before today.',
      ),
    next_cursor: z.null().describe('A statement is always whole.'),
  }),
  {
    account: {
      id: EXAMPLE_ID,
      number: '100000000190',
      iban: 'DE59999900001000000001',
      type: 'Current account in euro',
      owner: 'Ada Lovelace',
      currency: 'EUR',
    },
    from: '2026-03-01',
    to: '2026-03-31',
    time_zone: 'Europe/Berlin',
    opening_balance: euro('100.00'),
    closing_balance: euro('87.66'),
    credits: { count: 0, amount: euro('0.00') },
    debits: { count: 1, amount: euro('12.34') },
    items: [line],
    pending: [],
    next_cursor: null,
  },
);

export const statementPeriod = {
  from: Day.optional().describe(
    'First day, in the bank’s time zone; without it the first of the month of `to`.',
  ),
  to: Day.optional().describe('Last day, included; without it today.'),
};
