/**
 * What clearing books: nine scenarios with balance, available and hold after every step, and what becomes of the money between the
 * customer, the network and the bank.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openBooks, type Books } from '../../support/bank/books.ts';
import {
  bookedCard,
  clear,
  feeAbroad,
  lapse,
  newMessage as message,
  newPaymentId,
  sumsOf,
  takeMessage,
  type BookedCard,
  type Sent,
} from '../../support/bank/card-books.ts';
import type { Cleared } from '../../support/bank/card-payment-model.ts';
import { brokenChecks } from '../../support/bank/proof.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

type Wish = Omit<Sent, 'payment'>;
type Step = Wish | Omit<Cleared, 'type'> | 'lapse';
/** What is done, then P (posted), A (available), H (held), and the status of the payment. */
type Line = readonly [Step, number, number, number, string];

const ask = (amount: number) => message('0100', 'purchase', 'first', amount);
const add = (amount: number) => message('0100', 'increment', 'more', amount);
const stoodIn = (amount: number): Wish => ({
  ...message('0120', 'purchase', 'stood', amount),
  stoodIn: true,
});
const back = (amount: number | null = null): Wish => ({
  ...message('0420', 'purchase', `back ${String(amount)}`, amount),
  reverses: 'first',
});
const book = (amount: number, isFinal = true): Omit<Cleared, 'type'> => ({
  kind: 'purchase',
  amount,
  isFinal,
});
const refund = (amount: number): Omit<Cleared, 'type'> => ({ kind: 'refund', amount, isFinal: true });

const FUNDS = 10_000;
const scenarios: readonly (readonly [string, readonly Line[], readonly string[]])[] = [
  [
    'authorise and clear',
    [
      [ask(1_000), 10_000, 9_000, 1_000, 'authorised'],
      [book(1_000), 9_000, 9_000, 0, 'cleared'],
    ],
    [],
  ],
  [
    'increment and clear',
    [
      [ask(1_000), 10_000, 9_000, 1_000, 'authorised'],
      [add(500), 10_000, 8_500, 1_500, 'authorised'],
      [book(1_500), 8_500, 8_500, 0, 'cleared'],
    ],
    [],
  ],
  [
    'clear in parts: the last one frees the rest',
    [
      [ask(3_000), 10_000, 7_000, 3_000, 'authorised'],
      [book(1_000, false), 9_000, 7_000, 2_000, 'authorised'],
      [book(1_500), 7_500, 7_500, 0, 'cleared'],
    ],
    [],
  ],
  [
    'clear more than was authorised',
    [
      [ask(5_000), 10_000, 5_000, 5_000, 'authorised'],
      [book(5_800), 4_200, 4_200, 0, 'cleared'],
    ],
    ['cleared_above_authorisation'],
  ],
  [
    'take back in part, clear the rest, and take back all of another',
    [
      [ask(4_000), 10_000, 6_000, 4_000, 'authorised'],
      [back(1_000), 10_000, 7_000, 3_000, 'authorised'],
      [back(), 10_000, 10_000, 0, 'reversed'],
      [book(2_000), 8_000, 8_000, 0, 'cleared'],
    ],
    ['cleared_after_reversal'],
  ],
  [
    'expire, and clear late',
    [
      [ask(1_000), 10_000, 9_000, 1_000, 'authorised'],
      ['lapse', 10_000, 10_000, 0, 'expired'],
      [book(1_000), 9_000, 9_000, 0, 'cleared'],
    ],
    [],
  ],
  [
    'clear without an authorisation, of which the request comes too late',
    [
      [book(700), 9_300, 9_300, 0, 'cleared'],
      [ask(700), 9_300, 9_300, 0, 'cleared'],
    ],
    ['cleared_without_authorisation'],
  ],
  [
    'buy and give back in two parts',
    [
      [ask(1_000), 10_000, 9_000, 1_000, 'authorised'],
      [book(1_000), 9_000, 9_000, 0, 'cleared'],
      [refund(400), 9_400, 9_400, 0, 'cleared'],
      [refund(600), 10_000, 10_000, 0, 'refunded'],
    ],
    [],
  ],
  [
    'the network stands in for more than there is',
    [
      [stoodIn(12_000), 10_000, -2_000, 12_000, 'authorised'],
      [book(12_000), -2_000, -2_000, 0, 'cleared'],
      [refund(5_000), 3_000, 3_000, 0, 'cleared'],
    ],
    [],
  ],
];

async function take(card: BookedCard, payment: string, step: Step): Promise<void> {
  if (step === 'lapse') await lapse(books, payment);
  else if ('kind' in step) await clear(books, card, step, { payment });
  else await takeMessage(books, card, { ...step, payment });
}

const irregularitiesOf = async (payment: string): Promise<unknown[]> =>
  (
    await books.asOwner(
      `select i->>'code' as code from card_payments p, jsonb_array_elements(p.irregularities) i where p.network_id = $1`,
      [payment],
    )
  ).map(({ code }) => code);

test.each(scenarios)('%s', async (_what, lines, irregularities) => {
  const card = await bookedCard(books, BigInt(FUNDS));
  const payment = newPaymentId();
  const seen: Line[] = [];
  for (const [step] of lines) {
    await take(card, payment, step);
    const { posted, held } = await books.balance(card.account);
    const { status = 'unknown', held: own } = (await sumsOf(books, payment)) ?? {};
    expect(BigInt(own ?? -1)).toBe(held);
    seen.push([step, Number(posted), Number(posted - held), Number(held), status]);
  }
  expect(seen).toEqual(lines);
  expect(await irregularitiesOf(payment)).toEqual(irregularities);
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('what is cleared goes to the network without the bank’s share, with the fee of another currency', async () => {
  const card = await bookedCard(books, BigInt(FUNDS));
  await feeAbroad(books, 200);
  const before = await house();
  const payment = newPaymentId();
  await takeMessage(books, card, { ...ask(5_000), payment });
  await clear(books, card, book(2_000, false), { payment, interchange: 4, paid: 'USD' });
  await clear(books, card, book(3_000), { payment, interchange: 6, paid: 'USD' });
  await clear(books, card, refund(1_000), { payment, interchange: -2, paid: 'USD' });
  const after = await house();
  const gained = Object.fromEntries(
    Object.entries(after).map(([role, sum]) => [role, sum - (before[role] ?? 0)]),
  );
  // 2 % of 50.00, booked in two parts; a refund gives no fee back
  expect(gained).toMatchObject({ card_clearing: 3_992, interchange: 8, card_fees: 100 });
  expect((await books.balance(card.account)).posted).toBe(BigInt(FUNDS - 5_000 - 100 + 1_000));
});

/** What the bank's own accounts have, by role. */
async function house(): Promise<Record<string, number>> {
  const rows = await books.asOwner(
    `select role, sum(posted)::text as posted from accounts where kind = 'house' group by role`,
  );
  return Object.fromEntries(rows.map(({ role, posted }) => [String(role), Number(posted)]));
}

test('a refund to a closed account waits with the bank for somebody to look, and one to a frozen account too', async () => {
  for (const [status, code] of [
    ['closed', 'account_closed'],
    ['frozen', 'account_blocked'],
  ] as const) {
    const card = await bookedCard(books, BigInt(1_000));
    const payment = newPaymentId();
    await takeMessage(books, card, { ...ask(1_000), payment });
    await clear(books, card, book(1_000), { payment });
    await books.asOwner(
      `update accounts set status = $2, closed_at = case when $2 = 'closed' then bank_now() end where id = $1`,
      [card.account, status],
    );
    const before = (await house())['suspense'] ?? 0;
    await clear(books, card, refund(300), { payment });
    expect((await house())['suspense']).toBe(before + 300);
    const [booked] = await books.asOwner(
      `select t.metadata from ledger_transactions t join card_clearings r on r.transaction_id = t.id
         where r.kind = 'refund' and r.network_id = $1`,
      [payment],
    );
    expect(booked).toMatchObject({ metadata: { for_account: card.account, why: code } });
    expect((await sumsOf(books, payment))?.refunded).toBe(300);
    // its holder does not have it
    const told = await books.asOwner(
      `select from events e join card_clearings r on r.id = e.subject where r.network_id = $1`,
      [payment],
    );
    expect(told).toEqual([]);
  }
});

test('a record that the books refuse is put aside, and the others of its batch are booked', async () => {
  const [card, other] = [await bookedCard(books, BigInt(FUNDS)), await bookedCard(books, BigInt(FUNDS))];
  const [good, poor] = [newPaymentId(), newPaymentId()];
  // more than the books can hold
  await books.asOwner(
    `with file as (
       insert into card_files (id, kind, network, network_id, business_day, content_hash, object_key, records)
         values (uuidv7(), 'clearing', 'books', $1, current_date, decode(md5($1), 'hex'), 'none', 2) returning id
     ), records(payment, amount, share, number) as (values ($1, $5, '-' || $5, $3), ($2, '100', '0', $4))
     insert into card_clearings (id, file_id, network, record_id, network_id, kind, amount, asset, merchant_amount, merchant_asset, merchant,
         interchange, is_final, last_four, card_id)
       select uuidv7(), f.id, 'books', r.payment, r.payment, 'purchase', r.amount::numeric, 'EUR', 1, 'EUR', '{"name": "Shop"}', r.share::numeric, true, '0000', s.card_id
         from file f, records r join card_secrets s on s.number_index = decode(r.number, 'hex')`,
    [poor, good, card.index, other.index, '9'.repeat(38)],
  );
  const [first] = await books.asOwner('select * from card_clear_next(100)');
  expect(first).toMatchObject({ taken: 2, aside: [{ record: poor }] });
  expect((await sumsOf(books, good))?.cleared).toBe(100);
  expect(await sumsOf(books, poor)).toBeUndefined();
  expect(await books.asOwner('select * from card_clear_next(100)')).toEqual([{ taken: 0, aside: [] }]);
});
