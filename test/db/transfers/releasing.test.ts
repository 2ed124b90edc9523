/** What a flag has held goes on once, when the last flag is resolved, by the limits, the window and the funds of that moment. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { carryOut } from '../../../db/ledger/transfers.ts';
import type { AccountId, TransferId } from '../../../domain/ids.ts';
import type { TransferOrder } from '../../../domain/transfers/transfers.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { clearFlag, flag, lookAt, openMover, railType, type Mover } from '../../support/bank/movements.ts';
import { openOrders } from '../../support/bank/orders.ts';
import { ownBank } from '../../support/stack/database.ts';
import { limitType, transferType, type Limit } from '../../support/bank/transfers.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

const flagOf = async (account: AccountId): Promise<string> => {
  const [row] = await books.asOwner('select id from aml_flags where subject_id = $1', [account]);
  return String(row?.['id']);
};

/** A payment that a flag on its payer’s account holds. */
async function held(wish: (mover: Mover) => TransferOrder, mover?: Mover): Promise<Mover & TransferOrder> {
  const who = mover ?? (await openMover(books));
  await flag(books, who.from);
  const order = wish(who);
  await openOrders(books).submit(order);
  expect((await lookAt(books, order.id)).status).toBe('aml_review');
  return { ...who, ...order };
}

const goesOn = async (id: TransferId, account: AccountId) =>
  carryOut(books.em(), id, { source: 'flag', id: await flagOf(account) });
async function released({ id, from }: Mover & TransferOrder) {
  await clearFlag(books, from, await books.user());
  await goesOn(id, from);
  const { status, failure_code: failure, hold } = await lookAt(books, id);
  return { status, failure, hold };
}
const done = { status: 'executed', failure: null, hold: 'captured' };
const passed = { status: 'failed', failure: 'limit_exceeded', hold: 'released' };

async function limited(limit: Limit, lowered?: Limit) {
  const type = await transferType(books, { limits: [limit] });
  const payment = await held((mover) => mover.order(500n, { type }));
  if (lowered !== undefined) {
    await books.asOwner('delete from transfer_limits where type_code = $1', [type]);
    await limitType(books, type, lowered);
  }
  return released(payment);
}

test('it goes on within the limits that it has used', async () => {
  expect(await limited({ single: 500, day: 500, month: 500 })).toEqual(done);
  expect(await limited({ day: 500 }, { subject: 'recipient', day: 500, month: 500 })).toEqual(done);
});

test.each<Limit>([{ single: 499 }, { day: 499 }, { month: 499 }, { subject: 'recipient', month: 499 }])(
  'it fails, and its money is free, if a limit was lowered to %p',
  async (lowered) => {
    expect(await limited({ single: 500, day: 500, month: 500 }, lowered)).toEqual(passed);
  },
);

test('it fails, and its money is free, if the account may pay no longer', async () => {
  const payment = await held((mover) => mover.order(500n));
  await books.asOwner(`update accounts set status = 'blocked' where id = $1`, [payment.from]);
  expect(await released(payment)).toEqual({ ...passed, failure: 'account_blocked' });
});

test('it waits for the next window if the cut-off has passed meanwhile', async () => {
  const type = await railType(books);
  const payment = await held((mover) => mover.outward(500n, type));
  await books.asOwner(`update transfer_types set cut_off = '00:00:00' where code = $1`, [type]);
  expect(await released(payment)).toMatchObject({ status: 'queued', hold: 'open' });
});

test('it goes on when the last of its flags is resolved, and once', async () => {
  const payment = await held((mover) => mover.order(500n));
  await flag(books, payment.to);
  await clearFlag(books, payment.from, await books.user());
  const early = await goesOn(payment.id, payment.from);
  expect(early).toMatchObject({ status: 'aml_review', refusal: 'aml_flag_open', changed: false });
  await clearFlag(books, payment.to, await books.user());
  const answers = await Promise.all([
    ...[payment.from, payment.to, payment.from].map((account) => goesOn(payment.id, account)),
    ...[0, 1].map(() => carryOut(books.em(), payment.id, { source: 'time' })),
  ]);
  expect(answers.filter(({ changed }) => changed)).toHaveLength(1);
  const booked = await books.asOwner('select from ledger_transactions where source_id = $1', [payment.id]);
  expect(booked).toHaveLength(1);
});

test('a suspicion that is confirmed ends what it held, also if the word of it is lost', async () => {
  const payment = await held((mover) => mover.order(500n));
  await flag(books, payment.to);
  await clearFlag(books, payment.from, await books.user());
  await books.asOwner(
    `update aml_flags set status = 'confirmed', resolved_at = bank_now(), resolved_by = $2, note = 'It is forged.' where id = $1`,
    [await flagOf(payment.to), await books.user()],
  );
  await carryOut(books.em(), payment.id, { source: 'time' });
  expect(await lookAt(books, payment.id)).toMatchObject({ status: 'rejected', hold: 'released' });
});
