/**
 * The money of disputes: what is given provisionally and taken back, step by step, and that no order of decisions, refunds and answers
 * of the network gives anybody more or less than they are owed.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  advanceDispute,
  disputeOf,
  settleDispute,
  withdrawDispute,
  type DisputeRow,
} from '../../../db/queries/cards/disputes.ts';
import type { DisputeDecision, NetworkOutcome } from '../../../domain/cards/disputes.ts';
import { CardDisputeId, type UserId } from '../../../domain/ids.ts';
import { machineNow } from '../../../domain/time/now.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { bookedCard, feeAbroad } from '../../support/bank/card-books.ts';
import {
  decideAs,
  FUNDS,
  openDisputeOf,
  PAID,
  paid as paidIn,
  refund as refundIn,
  type DisputeWish,
  type Paid,
} from '../../support/bank/dispute-books.ts';
import { brokenChecks } from '../../support/bank/proof.ts';
import { fc } from '../../support/property.ts';
import { ownBank } from '../../support/stack/database.ts';

const ALONE = 3_000n;

let books: Books;
let staff: readonly UserId[];
function office(place: 0 | 1): UserId {
  const one = staff[place];
  if (one === undefined) throw new Error('nobody decides');
  return one;
}
beforeAll(async () => {
  books = openBooks(await ownBank());
  staff = [await books.admin(['cards:write']), await books.admin(['cards:write'])];
});
afterAll(() => books.close());

const paid = (amount = PAID) => paidIn(books, { amount });
const refund = (of: Paid, amount: number) => refundIn(books, of, amount);
const open = (of: Pick<Paid, 'payment' | 'owner'>, wish?: DisputeWish) => openDisputeOf(books, of, wish);
const decide = (id: CardDisputeId, wanted: DisputeDecision, by = office(0), aloneUpTo?: bigint) =>
  decideAs(books, by, id, wanted, aloneUpTo);
const settle = (id: CardDisputeId, outcome: NetworkOutcome) =>
  settleDispute.one(books.em(), { id, outcome, clock: machineNow() });
const withdraw = (id: CardDisputeId, owner: UserId) =>
  withdrawDispute.one(books.em(), { id, owner, clock: machineNow() });
const advance = (id: CardDisputeId) => advanceDispute.one(books.em(), { id });
const rowOf = (id: CardDisputeId): Promise<DisputeRow> => disputeOf.one(books.em(), { id, owner: null });

const STEPS = {
  accept: (_: Paid, id: CardDisputeId) => decide(id, 'accept'),
  reject: (_: Paid, id: CardDisputeId) => decide(id, 'reject'),
  won: (_: Paid, id: CardDisputeId) => settle(id, 'won'),
  lost: (_: Paid, id: CardDisputeId) => settle(id, 'lost'),
  withdraw: ({ owner }: Paid, id: CardDisputeId) => withdraw(id, owner),
  'refund of 10.00': async (of: Paid, id: CardDisputeId) => {
    await refund(of, 1_000);
    return advance(id);
  },
  'refund of 40.00': async (of: Paid, id: CardDisputeId) => {
    await refund(of, PAID);
    return advance(id);
  },
} as const;

/** What is done, then the balance of the account, what was credited and taken back, and the status. */
type Line = readonly [keyof typeof STEPS, number, number, number, string];
const scenarios: readonly (readonly [string, DisputeWish, readonly Line[]])[] = [
  [
    'what is won stays',
    {},
    [
      ['accept', 10_000, 4_000, 0, 'filed'],
      ['won', 10_000, 4_000, 0, 'won'],
      ['won', 10_000, 4_000, 0, 'won'],
    ],
  ],
  [
    'what is lost is taken back',
    {},
    [
      ['accept', 10_000, 4_000, 0, 'filed'],
      ['lost', 6_000, 4_000, 4_000, 'lost'],
    ],
  ],
  ['what is rejected gives nothing', {}, [['reject', 6_000, 0, 0, 'rejected']]],
  ['what is withdrawn in time gives nothing', {}, [['withdraw', 6_000, 0, 0, 'withdrawn']]],
  [
    'what is withdrawn later is taken back',
    { amount: 2_500 },
    [
      ['accept', 8_500, 2_500, 0, 'filed'],
      ['withdraw', 6_000, 2_500, 2_500, 'withdrawn'],
    ],
  ],
  [
    'what the merchant gives back as well is taken back, and the network pays the rest',
    {},
    [
      ['accept', 10_000, 4_000, 0, 'filed'],
      ['refund of 10.00', 10_000, 4_000, 1_000, 'filed'],
      ['won', 10_000, 4_000, 1_000, 'won'],
    ],
  ],
  [
    'a part that was not disputed may come back without touching the rest',
    { amount: 3_000 },
    [
      ['accept', 9_000, 3_000, 0, 'filed'],
      ['refund of 10.00', 10_000, 3_000, 0, 'filed'],
      ['lost', 7_000, 3_000, 3_000, 'lost'],
    ],
  ],
  [
    'a dispute ends once the merchant has given back all of it',
    {},
    [
      ['accept', 10_000, 4_000, 0, 'filed'],
      ['refund of 40.00', 10_000, 4_000, 4_000, 'refunded'],
    ],
  ],
  [
    'what came back before the decision is not given again',
    {},
    [
      ['refund of 10.00', 7_000, 0, 0, 'in_review'],
      ['accept', 10_000, 3_000, 0, 'filed'],
      ['lost', 7_000, 3_000, 3_000, 'lost'],
    ],
  ],
  ['all came back before the decision', {}, [['refund of 40.00', 10_000, 0, 0, 'refunded']]],
];

test.each(scenarios)('%s', async (_what, wish, lines) => {
  const of = await paid();
  const { id, refusal } = await open(of, wish);
  expect(refusal).toBeNull();
  const seen: Line[] = [];
  for (const [step] of lines) {
    await STEPS[step](of, id);
    const { posted } = await books.balance(of.card.account);
    const { credited, takenBack, status } = await rowOf(id);
    seen.push([step, Number(posted), Number(credited), Number(takenBack), status]);
  }
  expect(seen).toEqual(lines);
  expect(await brokenChecks(books.em())).toEqual([]);
});

describe('what can be disputed', () => {
  test('a payment that is held but not booked cannot be disputed, nor that of somebody else', async () => {
    const of = await paidIn(books, { billed: null });
    expect(await open(of)).toMatchObject({ refusal: 'nothing_to_dispute' });
    expect(await open({ ...of, owner: await books.user() })).toMatchObject({ refusal: 'not_found' });
  });

  test('what is left counts: refunds, and disputes that the network has decided', async () => {
    const of = await paid();
    await refund(of, 500);
    expect(await open(of, { amount: 3_501 })).toMatchObject({ refusal: 'dispute_too_large', most: 3_500n });
    const first = await open(of, { amount: 1_500 });
    expect(await open(of)).toMatchObject({ refusal: 'dispute_open' });
    await decide(first.id, 'accept');
    await settle(first.id, 'lost');
    const second = await open(of);
    // the refund may have been of what was lost
    expect((await rowOf(second.id)).amount).toBe(2_500n);
    await decide(second.id, 'reject');
    // what the bank has rejected may be said better
    const third = await open(of);
    expect((await rowOf(third.id)).amount).toBe(2_500n);
  });

  test('two at once: one is opened', async () => {
    const of = await paid();
    const opened = await Promise.all([open(of), open(of), open(of)]);
    expect(opened.map(({ refusal }) => refusal).sort()).toEqual(
      [null, 'dispute_open', 'dispute_open'].sort(),
    );
  });
});

describe('who decides', () => {
  test('above the threshold two people, who are not one and not the holder', async () => {
    const of = await paid();
    const { id } = await open(of);
    const [first, second] = [office(0), office(1)];
    expect(await decide(id, 'accept', first, ALONE)).toEqual({ refusal: null, needsSecond: true });
    expect(await rowOf(id)).toMatchObject({ status: 'in_review', firstBy: first, credited: 0n });
    expect((await books.balance(of.card.account)).posted).toBe(BigInt(FUNDS - PAID));
    expect((await decide(id, 'accept', first, ALONE)).refusal).toBe('same_person');
    await books.admin(['cards:write'], of.owner);
    expect((await decide(id, 'accept', of.owner, ALONE)).refusal).toBe('same_person');
    expect(await decide(id, 'accept', second, ALONE)).toEqual({ refusal: null, needsSecond: false });
    expect(await rowOf(id)).toMatchObject({ status: 'filed', firstBy: first, decidedBy: second });
  });

  test('the first one may change their mind, and reject', async () => {
    const { id } = await open(await paid());
    const first = office(0);
    await decide(id, 'accept', first, ALONE);
    expect(await decide(id, 'reject', first, ALONE)).toEqual({ refusal: null, needsSecond: false });
    expect(await rowOf(id)).toMatchObject({ status: 'rejected', decidedBy: first });
  });

  test('one of them may not have made the other', async () => {
    const { id } = await open(await paid());
    const first = office(0);
    const made = await books.admin(['cards:write']);
    await books.asOwner(
      `insert into empowerments (person_id, empowered_by, kind) values ($1, $2, 'created')`,
      [made, first],
    );
    await decide(id, 'accept', first, ALONE);
    expect((await decide(id, 'accept', made, ALONE)).refusal).toBe('same_person');
  });

  test('up to the threshold one, and whoever may not is refused by the database', async () => {
    const { id } = await open(await paid(Number(ALONE)));
    await expect(decide(id, 'accept', await books.user(), ALONE)).rejects.toThrow();
    expect(await decide(id, 'accept', office(0), ALONE)).toEqual({ refusal: null, needsSecond: false });
    expect((await decide(id, 'reject')).refusal).toBe('already_decided');
  });

  test('two decisions at once: the money is given once', async () => {
    const of = await paid();
    const { id } = await open(of);
    const decided = await Promise.all([
      decide(id, 'accept'),
      decide(id, 'accept', office(1)),
      decide(id, 'accept'),
    ]);
    expect(decided.filter(({ refusal }) => refusal === null)).toHaveLength(1);
    expect((await books.balance(of.card.account)).posted).toBe(BigInt(FUNDS));
  });

  test('the network cannot decide what was not filed, nor twice in two ways', async () => {
    const of = await paid();
    const { id } = await open(of);
    expect((await settle(id, 'won')).refusal).toBe('not_filed');
    await decide(id, 'accept');
    const answers = await Promise.all([settle(id, 'won'), settle(id, 'lost'), withdraw(id, of.owner)]);
    expect(answers.filter(({ refusal }) => refusal === null)).toHaveLength(1);
    expect(await brokenChecks(books.em())).toEqual([]);
  });
});

test('what somebody else has paid gives back its fees too, and loses them with the dispute', async () => {
  const card = await bookedCard(books, BigInt(FUNDS));
  await feeAbroad(books, 200);
  const of = await paidIn(books, { card, billed: 'USD' });
  expect((await books.balance(card.account)).posted).toBe(BigInt(FUNDS - PAID - 80));
  const half = await open(of, { reason: 'unauthorised', amount: 2_000 });
  await decide(half.id, 'accept');
  expect(await rowOf(half.id)).toMatchObject({ credited: 2_040n, creditedFee: 40n });
  await settle(half.id, 'lost');
  expect((await books.balance(card.account)).posted).toBe(BigInt(FUNDS - PAID - 80));
  const rest = await open(of, { reason: 'unauthorised' });
  await decide(rest.id, 'accept');
  await settle(rest.id, 'won');
  expect((await books.balance(card.account)).posted).toBe(BigInt(FUNDS - PAID - 80 + 2_040));
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('what was lost does not stand in the way of the rest: a refund may be of that', async () => {
  const of = await paid();
  const lost = await open(of, { amount: 1_500 });
  await decide(lost.id, 'accept');
  await settle(lost.id, 'lost');
  const rest = await open(of, { amount: 2_500 });
  await decide(rest.id, 'accept');
  await refund(of, 1_000);
  expect(await rowOf(rest.id)).toMatchObject({ refunded: 0n, takenBack: 0n });
  await refund(of, 1_000);
  expect(await rowOf(rest.id)).toMatchObject({ refunded: 500n, takenBack: 500n });
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('an account with a provisional credit cannot be closed', async () => {
  const of = await paid();
  const { id } = await open(of);
  await decide(id, 'accept');
  const other = await books.account(of.owner);
  await books.asOwner(
    `select * from ledger_post(jsonb_build_array(jsonb_build_object('id', uuidv7(), 'kind', 'test', 'source_type', 'test', 'source_id', uuidv7(),
       'entries', jsonb_build_array(jsonb_build_object('account', $1::text, 'asset', 'EUR', 'amount', $3::text),
                                    jsonb_build_object('account', $2::text, 'asset', 'EUR', 'amount', $4::text)))))`,
    [of.card.account, other, String(-FUNDS), String(FUNDS)],
  );
  const close = async () => {
    const [row] = await books.asOwner(`select refusal from account_set_status($1, 'closed')`, [
      of.card.account,
    ]);
    return row?.['refusal'];
  };
  expect(await close()).toBe('account_not_empty');
  await settle(id, 'won');
  expect(await close()).toBeNull();
});

test('a merchant who gives back what was won already is named on the payment', async () => {
  const of = await paid();
  const { id } = await open(of);
  await decide(id, 'accept');
  await settle(id, 'won');
  await refund(of, 100);
  const [row] = await books.asOwner('select irregularities from card_payments where id = $1', [of.payment]);
  expect(row).toMatchObject({ irregularities: [{ code: 'refunded_after_dispute' }] });
});

test('what is given to a frozen account waits with the bank, and is taken back there', async () => {
  const of = await paid();
  const { id } = await open(of);
  const { account } = of.card;
  await books.asOwner(`update accounts set status = 'frozen' where id = $1`, [account]);
  const suspense = async () => {
    const [row] = await books.asOwner(
      `select coalesce(sum(e.amount), 0)::int as sum from ledger_entries e join accounts a on a.id = e.account_id and a.role = 'suspense'
         join card_dispute_postings p on p.transaction_id = e.transaction_id where p.dispute_id = $1`,
      [id],
    );
    return row?.['sum'];
  };
  await decide(id, 'accept');
  expect(await suspense()).toBe(PAID);
  await books.asOwner(`update accounts set status = 'open' where id = $1`, [account]);
  await settle(id, 'lost');
  expect(await suspense()).toBe(0);
  // those who look after suspense find both by the account that they are for
  const named = await books.asOwner(
    `select t.kind from ledger_transactions t where t.metadata->>'for_account' = $1 order by t.position`,
    [account],
  );
  expect(named.map(({ kind }) => kind)).toEqual(['dispute_credit', 'dispute_reversal']);
  expect(
    await books.asOwner(`select from events where subject = $1 and type = 'dispute_update'`, [id]),
  ).toEqual([]);
  expect((await books.balance(account)).posted).toBe(BigInt(FUNDS - PAID));
});

test('what is lost is taken back from an account that has nothing left', async () => {
  const of = await paid();
  const { id } = await open(of);
  await decide(id, 'accept');
  await paidIn(books, { amount: 9_000, card: of.card });
  await settle(id, 'lost');
  expect((await books.balance(of.card.account)).posted).toBe(BigInt(FUNDS - PAID - 9_000));
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('deadlines: reviewers are reminded once of each, and the clock of the network begins with the claim', async () => {
  const { id } = await open(await paid());
  const overdue = () => books.asOwner(`update card_disputes set due_at = bank_now() where id = $1`, [id]);
  expect(await advance(id)).toMatchObject({ isDue: false, isOverdue: false, isUntold: false });
  await overdue();
  expect(await advance(id)).toMatchObject({ isDue: true, isOverdue: true, lookAgainSeconds: 86_400 });
  expect(await advance(id)).toMatchObject({ isDue: false, isOverdue: true });
  await decide(id, 'accept');
  const step = await advance(id);
  expect(step).toMatchObject({ state: 'filed', isDue: false, isOverdue: false, isUntold: true });
  expect(step.lookAgainSeconds).toBeGreaterThan(44 * 86_400);
  await overdue();
  expect(await advance(id)).toMatchObject({ isDue: true });
  await settle(id, 'won');
  expect(await advance(id)).toMatchObject({ state: 'won', isDue: false, lookAgainSeconds: 0 });
});

test('a wrong program cannot change what a dispute says, or reopen it', async () => {
  const { id } = await open(await paid());
  const change = (what: string) => books.asOwner(`update card_disputes set ${what} where id = $1`, [id]);
  await expect(change('amount = 1')).rejects.toThrow('stands');
  await expect(change('credited = 100')).rejects.toThrow();
  await decide(id, 'accept');
  await expect(change('credited = 100')).rejects.toThrow('stands');
  await expect(change(`status = 'in_review'`)).rejects.toThrow('stands');
  await expect(change(`status = 'lost', ended_at = bank_now()`)).rejects.toThrow('card_disputes_lost');
  await settle(id, 'won');
  await expect(change(`status = 'filed', ended_at = null`)).rejects.toThrow('stands');
  await expect(books.asOwner('delete from card_disputes where id = $1', [id])).rejects.toThrow('append-only');
});

const step = fc.constantFrom(
  ...(['open', 'accept', 'reject', 'won', 'lost', 'withdraw', 'refund', 'advance'] as const),
);
test('in any order: nobody is given more than was paid, and the network owes what is claimed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), fc.nat(), async (steps, seed) => {
      const of = await paid();
      const { account } = of.card;
      let last: CardDisputeId | undefined;
      let returned = 0;
      for (const [n, what] of steps.entries()) {
        if (what === 'open') {
          const { id, refusal } = await open(of, { amount: 500 + ((seed + n * 733) % 2_000) });
          if (refusal === null) last = id;
        } else if (what === 'refund') {
          const more = Math.min(300 + ((seed + n) % 900), PAID - returned);
          if (more > 0) await refund(of, more);
          returned += Math.max(more, 0);
        } else if (last !== undefined) {
          await (what === 'advance' ? advance(last) : STEPS[what](of, last));
        }
      }
      const disputes = await books.asOwner('select id from card_disputes where payment_id = $1', [
        of.payment,
      ]);
      for (const { id } of disputes) await advance(CardDisputeId.parse(id));
      const rows = await Promise.all(disputes.map(({ id }) => rowOf(CardDisputeId.parse(id))));
      const given = rows.reduce((sum, { credited, takenBack }) => sum + credited - takenBack, 0n);
      const { posted } = await books.balance(account);
      expect(posted).toBe(BigInt(FUNDS - PAID + returned) + given);
      // only a merchant who gives back what was won already pays twice, and the payment says so
      const twice = await books.asOwner(
        `select from card_payments where id = $1 and irregularities @> '[{"code": "refunded_after_dispute"}]'`,
        [of.payment],
      );
      expect(twice).toHaveLength(Number(given) + returned > PAID ? 1 : 0);
      for (const { status, credited, takenBack, amount, refunded } of rows) {
        const owed = status === 'filed' || status === 'won' ? amount - refunded : 0n;
        expect(credited - takenBack).toBe(owed);
      }
    }),
    { numRuns: 60 },
  );
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('after 120 days only what somebody else has paid can be disputed, and after 13 months nothing', async () => {
  const of = await paid();
  const pass = (days: number) => books.asOwner('select clock_advance($1)', [days * 86_400]);
  await books.asOwner('update bank_settings set clock_moves = true');
  await pass(121);
  expect(await open(of)).toMatchObject({ refusal: 'dispute_too_late' });
  const { id, refusal } = await open(of, { reason: 'unauthorised' });
  expect(refusal).toBeNull();
  await withdraw(id, of.owner);
  await pass(275);
  expect(await open(of, { reason: 'unauthorised' })).toMatchObject({ refusal: 'dispute_too_late' });
});
