/** From which day money counts: the bank's own, in Berlin, whatever moves it and whatever day it is elsewhere. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { carryOut } from '../../../db/ledger/transfers.ts';
import { chargeFeeMonth, closeFeeMonth, openFeeMonth } from '../../../db/queries/pricing/account-fees.ts';
import { TransferId, type AccountId, type UserId } from '../../../domain/ids.ts';
import { machineNow, now } from '../../../domain/time/now.ts';
import type { TransferOrder } from '../../../domain/transfers/transfers.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { atMoment } from '../../support/bank/clock.ts';
import { by, decideInBooks, reported, reviewer } from '../../support/bank/decisions.ts';
import type { RailReport } from '../../../domain/transfers/rail.ts';
import { openMover, railType, type Mover } from '../../support/bank/movements.ts';
import { openOrders } from '../../support/bank/orders.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
let mover: Mover;
let maker: UserId;
let rail: string;
beforeAll(async () => {
  books = openBooks(await ownBank());
  mover = await openMover(books, 1_000_000n);
  maker = await books.admin(['adjustments:write', 'transfers:reverse']);
  // the zone of the cut-off decides about the rail, not about the books
  rail = await railType(books);
  await books.asOwner(`update transfer_types set cut_off_zone = 'Pacific/Kiritimati' where code = $1`, [
    rail,
  ]);
  await books.fund(mover.to, 1_000n);
  await chargeMonthly(mover.to);
});
afterAll(() => books.close());

/** From now on an account of this type pays a fee a month. */
async function chargeMonthly(account: AccountId): Promise<void> {
  const rule = randomUUID();
  await books.asOwner(
    `insert into fee_rules (id, code, purpose, asset) values ($1, 'monthly', 'monthly', 'EUR')`,
    [rule],
  );
  await books.asOwner(
    `insert into fee_rule_versions (rule_id, version, purpose, asset, description, enabled, priority, flat, rate_bps, tier_mode, valid_from, created_at)
     values ($1, 1, 'monthly', 'EUR', 'Account fee', true, 0, 10, 0, 'graduated', '2020-01-01', '2020-01-01')`,
    [rule],
  );
  await books.asOwner(
    'update account_types set monthly_fee_rule_id = $1 where id = (select account_type_id from accounts where id = $2)',
    [rule, account],
  );
}

async function bring({ id: transferId }: TransferOrder, report: RailReport['kind']): Promise<void> {
  const about = { messageId: `test/${randomUUID()}`, transferId, at: now().toISOString() };
  const said =
    report === 'returned'
      ? ({ ...about, kind: report, code: 'AC04' } as const)
      : { ...about, kind: 'settled' as const };
  await reported(books, said);
  await carryOut(books.em(), transferId, { source: 'report', id: said.messageId });
}

/** Moves money in each of the ways there are. */
async function everyMovement(): Promise<void> {
  const orders = openOrders(books);
  const [paid, settled, returned] = [mover.order(50n), mover.outward(50n, rail), mover.outward(50n, rail)];
  const decided = { customerId: mover.customer, requestedBy: maker, asset: 'EUR', description: '' } as const;
  const adjustment: TransferOrder = {
    ...{ ...decided, id: TransferId.parse(randomUUID()), kind: 'adjustment', destination: mover.from },
    ...{ amount: '50', reason: 'goodwill', approvalSeconds: 60 },
  };
  const reversal: TransferOrder = {
    ...{ ...decided, id: TransferId.parse(randomUUID()), kind: 'reversal', reversesId: paid.id },
    ...{ source: mover.to, destination: mover.from, amount: '50', reason: 'twice', approvalSeconds: 60 },
  };
  for (const order of [paid, settled, returned, adjustment, reversal])
    expect(await orders.submit(order)).toMatchObject({ refusal: null });
  const wish = by(await reviewer(books), 'execute');
  await decideInBooks(books, adjustment.id, wish);
  await decideInBooks(books, reversal.id, wish);
  await bring(settled, 'settled');
  await bring(returned, 'returned');
  const month = await openFeeMonth(books.em());
  if (month === null) return;
  let after: string | null = null;
  do after = (await chargeFeeMonth.one(books.em(), { month, after, most: 200, clock: machineNow() })).last;
  while (after !== null);
  await closeFeeMonth.run(books.em(), { month });
}

/** In ascending order, because the books do not go back in time. */
test.each([
  ['2037-12-31T22:59:00Z', '2037-12-31', 'a minute before the year ends'],
  ['2037-12-31T23:00:30Z', '2038-01-01', 'half a minute into the year'],
  ['2038-01-01T00:59:00Z', '2038-01-01', 'before 02:00 on the first day of the year'],
  ['2038-02-28T23:30:00Z', '2038-03-01', 'after midnight in winter, in another month'],
  ['2038-06-30T21:30:00Z', '2038-06-30', 'before midnight in summer'],
  ['2038-06-30T22:30:00Z', '2038-07-01', 'after midnight in summer, in another month'],
  ['2038-06-30T23:59:00Z', '2038-07-01', 'before 02:00 in summer'],
  ['2038-10-30T22:30:00Z', '2038-10-31', 'after midnight of the night in which the clocks go back'],
])('what is booked at %s counts from %s: %s', async (moment, day) => {
  await atMoment(books, moment, everyMovement);
  const booked = await books.asOwner(
    `select t.kind, t.value_date::text as day, count(*)::int as times from ledger_transactions t
      where t.booked_at between $1::timestamptz and $1::timestamptz + interval '1 minute' and t.kind <> 'account_fee'
      group by 1, 2 order by 1`,
    [moment],
  );
  expect(booked).toEqual([
    { kind: 'adjustment', day, times: 1 },
    { kind: 'return', day, times: 1 },
    { kind: 'reversal', day, times: 1 },
    { kind: 'settlement', day, times: 1 },
    { kind: 'transfer', day, times: 3 },
  ]);
});

test('a month’s fee is charged when the month has begun in Berlin, and counts from the bank’s day', async () => {
  const charged = await books.asOwner(
    `select to_char(f.month, 'YYYY-MM') as month, t.value_date::text as day from account_fees f
       join ledger_transactions t on t.id = f.transaction_id where f.account_id = $1 order by f.month`,
    [mover.to],
  );
  expect(charged).toEqual([
    { month: '2037-12', day: '2037-12-31' },
    { month: '2038-01', day: '2038-01-01' },
    { month: '2038-03', day: '2038-03-01' },
    { month: '2038-06', day: '2038-06-30' },
    { month: '2038-07', day: '2038-07-01' },
    { month: '2038-10', day: '2038-10-31' },
  ]);
});
