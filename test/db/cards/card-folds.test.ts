/**
 * A card payment is what its messages say: the sequences that were once decided wrongly, and sequences by chance beside a model.
 * `CARD_FOLD_RUNS` asks for more of those.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openBooks, type Books } from '../../support/bank/books.ts';
import {
  bookedCard,
  clear,
  historyOf,
  lapse,
  newMessage as message,
  newPaymentId,
  sumsOf,
  takeMessage,
  type BookedCard,
  type Sent,
  type Taken,
} from '../../support/bank/card-books.ts';
import {
  cardPaymentAfter,
  type Cleared,
  type Happening,
  type HoldRule,
  type Sums,
} from '../../support/bank/card-payment-model.ts';
import { patienceFor } from '../../support/patience.ts';
import { fc } from '../../support/property.ts';
import { ownBank } from '../../support/stack/database.ts';

const RUNS = Number(process.env['CARD_FOLD_RUNS'] ?? 150);
const MOST_MILLISECONDS = patienceFor(60_000 + RUNS * 1_000);
const NOTHING_ADDED: HoldRule = { percent: 0, amount: 0 };
const PLENTY = 10n ** 12n;

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

type Wish = Omit<Sent, 'payment'>;
const ask = (amount: number, name = 'first') => message('0100', 'purchase', name, amount);
const cash = (amount: number, name = 'cash') => message('0100', 'cash', name, amount);
const add = (amount: number, name = 'more') => message('0100', 'increment', name, amount);
const complete = (amount: number, name = 'total') => message('0100', 'completion', name, amount);
const advise = (amount: number, name = 'advice') => message('0120', 'purchase', name, amount);
const back = (amount: number | null = null, reverses: string | null = null, name = 'back'): Wish => ({
  ...message('0420', 'purchase', name, amount),
  reverses,
});

/** What is done, what it is answered (`-` for what asks nothing), and what is held then. */
type Line = readonly [Wish | 'lapse', string, number];
const sequences: readonly (readonly [string, bigint, readonly Line[]])[] = [
  [
    'nobody asks again after a whole reversal',
    2_000n,
    [
      [ask(1_000), 'approved', 1_000],
      [back(), '-', 0],
      [add(500_000), 'control', 0],
      [ask(500, 'again'), 'control', 0],
      [advise(300), '-', 300],
    ],
  ],
  [
    'a total is what will be cleared, whatever was taken back before',
    100_000n,
    [
      [ask(20_000), 'approved', 20_000],
      [back(8_000), '-', 12_000],
      [complete(12_000), 'approved', 12_000],
    ],
  ],
  [
    'a reversal of what never came frees nothing else',
    100_000n,
    [
      [ask(10_000), 'approved', 10_000],
      [back(5_000, 'more'), '-', 10_000],
      [add(5_000), 'control', 10_000],
    ],
  ],
  [
    'what a reversal has too much is no credit',
    100_000n,
    [
      [ask(1_000), 'approved', 1_000],
      [back(1_500), '-', 0],
      [add(500), 'approved', 500],
    ],
  ],
  [
    'a reversal takes no more of a message than that message has opened',
    100_000n,
    [
      [ask(1_000), 'approved', 1_000],
      [add(500), 'approved', 1_500],
      [back(9_000, 'more'), '-', 1_000],
      [back(400, 'first', 'part'), '-', 600],
    ],
  ],
  [
    'a total that is taken back restores what was before it',
    100_000n,
    [
      [ask(10_000), 'approved', 10_000],
      [complete(8_000), 'approved', 8_000],
      [add(1_000), 'control', 8_000],
      [complete(9_000, 'larger'), 'control', 8_000],
      [complete(7_000, 'smaller'), 'approved', 7_000],
      [back(null, 'smaller'), '-', 8_000],
      [back(null, 'total', 'other'), '-', 10_000],
      [add(1_000, 'then'), 'approved', 11_000],
    ],
  ],
  [
    'what has lapsed is opened again by what happens later',
    100_000n,
    [
      [ask(10_000), 'approved', 10_000],
      ['lapse', '-', 0],
      [advise(4_000), '-', 4_000],
      [{ ...complete(9_000), type: '0120' }, '-', 9_000],
      ['lapse', '-', 0],
      [advise(500, 'late'), '-', 500],
      [back(200), '-', 300],
    ],
  ],
  [
    'an advice in the place of a lost answer is the request itself',
    100_000n,
    [
      [ask(5_000, 'lost'), 'approved', 5_000],
      [{ ...advise(5_000, 'lost'), stoodIn: true }, '-', 5_000],
      [back(null, 'lost'), '-', 5_000],
    ],
  ],
  [
    'each advice in the place of a lost answer is one of the requests that are alike',
    100_000n,
    [
      [ask(2_000), 'approved', 2_000],
      [{ ...add(1_000, 'one'), rrn: 'same' }, 'approved', 3_000],
      [{ ...add(1_000, 'other'), rrn: 'same' }, 'approved', 4_000],
      [{ ...add(1_000, 'advice'), type: '0120' as const, stoodIn: true, rrn: 'same' }, '-', 4_000],
      [{ ...add(1_000, 'third'), rrn: 'same' }, 'approved', 5_000],
    ],
  ],
  [
    'an advice in another currency stands for no request, before it or after it',
    100_000n,
    [
      [ask(5_000, 'lost'), 'approved', 5_000],
      [{ ...advise(5_000, 'lost'), stoodIn: true, asset: 'USD' }, '-', 5_000],
      [{ ...advise(700, 'other'), stoodIn: true, asset: 'USD' }, '-', 5_000],
      [ask(700, 'other'), 'approved', 5_700],
    ],
  ],
  [
    'a request that comes after the network has stood in is declined',
    100_000n,
    [
      [{ ...advise(5_000, 'lost'), stoodIn: true }, '-', 5_000],
      [ask(5_000, 'lost'), 'control', 5_000],
    ],
  ],
  [
    'a request of which a part was taken back before it came is approved for the rest',
    100_000n,
    [
      [back(400, 'first'), '-', 0],
      [ask(1_000), 'partially_approved', 600],
    ],
  ],
  [
    'cash is cash though the payment began as something else',
    100_000n,
    [
      [ask(1_000), 'approved', 1_000],
      [cash(1_000), 'sca_required', 1_000],
    ],
  ],
];

test.each(sequences)('%s', async (_what, funds, lines) => {
  const card = await bookedCard(books, funds);
  const payment = newPaymentId();
  const seen: Line[] = [];
  for (const [done, reason] of lines) {
    const answer =
      done === 'lapse' ? await lapse(books, payment) : await takeMessage(books, card, { ...done, payment });
    const held = (await sumsOf(books, payment))?.held ?? Number.NaN;
    expect(await books.balance(card.account)).toEqual({ posted: funds, held: BigInt(held) });
    seen.push([done, reason === '-' ? reason : String(answer?.reason), held]);
  }
  expect(seen).toEqual(lines);
});

const purposes = ['purchase', 'increment', 'completion'] as const;
// sometimes the same, as an advice in the place of a request has
const amount = fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.constant(1_000));
const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const wish: fc.Arbitrary<Wish> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({
        type: fc.constantFrom('0100' as const, '0120' as const),
        purpose: fc.constantFrom('purchase', 'increment', ...purposes),
        ...{ name, amount, reverses: fc.constant(null), stoodIn: fc.nat(3).map((n) => n === 0) },
      })
      .map((one) => ({ ...one, stoodIn: one.stoodIn && one.type === '0120' })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ type: fc.constant('0420' as const), purpose: fc.constant('purchase' as const) },
      ...{ name, amount: fc.option(amount, { freq: 3 }), reverses: fc.option(name, { freq: 3 }) },
      stoodIn: fc.constant(false),
    }),
  },
);
const record: fc.Arbitrary<Cleared> = fc.record({
  type: fc.constant('clearing'),
  kind: fc.constantFrom('purchase', 'purchase', 'purchase', 'refund'),
  amount,
  isFinal: fc.nat(2).map((n) => n === 0),
});
const rule = fc.constantFrom(NOTHING_ADDED, { percent: 20, amount: 0 }, { percent: 0, amount: 3_000 });

/** Cards with these rules, made once. */
const cards = new Map<HoldRule, BookedCard>();
async function cardWith(of: HoldRule): Promise<BookedCard> {
  const known = cards.get(of);
  if (known !== undefined) return known;
  const card = await bookedCard(books, PLENTY, of);
  cards.set(of, card);
  return card;
}

/** Whether what is held has grown by as much as was approved; a total may lie within what stands and what is cleared. */
function expectHeld({ purpose }: Wish, { approved }: Taken, before: Sums | undefined, after: Sums): void {
  if (approved === null) return;
  const grown = purpose === 'completion' ? after.held + after.cleared : after.held - (before?.held ?? 0);
  expect(grown).toBeGreaterThanOrEqual(approved);
}

describe('by chance', () => {
  const limit = { numRuns: RUNS, interruptAfterTimeLimit: MOST_MILLISECONDS, markInterruptAsFailure: true };

  test(
    'every request that is approved is held, and the payment is what the model says after every message',
    async () => {
      const step = fc.oneof(
        { weight: 9, arbitrary: wish },
        { weight: 1, arbitrary: fc.constant('lapse' as const) },
        { weight: 2, arbitrary: record },
      );
      await fc.assert(
        fc.asyncProperty(rule, fc.array(step, { minLength: 1, maxLength: 8 }), async (of, steps) => {
          const card = await cardWith(of);
          const payment = newPaymentId();
          const happenings: Happening[] = [];
          const keys = new Map<string, Taken>();
          const lived: object[] = [];
          for (const one of steps) {
            const before = await sumsOf(books, payment);
            if (one === 'lapse') {
              if (before === undefined) continue;
              await lapse(books, payment);
              if (before.held > 0) happenings.push(one);
            } else if (one.type === 'clearing') {
              await clear(books, card, one, { payment });
              happenings.push(one);
            } else {
              const key = `${one.type} ${one.name}`;
              // the content of a message is its key here, so the same key is a repeat
              const known = keys.get(key);
              const answer = await takeMessage(books, card, { ...one, payment });
              if (known !== undefined) {
                expect(answer).toEqual(known);
                expect(await sumsOf(books, payment)).toEqual(before);
                continue;
              }
              keys.set(key, answer);
              const after = await sumsOf(books, payment);
              if (one.type === '0100' && after !== undefined) expectHeld(one, answer, before, after);
              happenings.push({ ...one, approved: answer.approved });
              const {
                lapsed: _lapsed,
                cleared: _cleared,
                refunded: _refunded,
                ...then
              } = (await sumsOf(books, payment)) ?? {};
              lived.push(then);
            }
            expect(await sumsOf(books, payment)).toMatchObject(cardPaymentAfter(happenings, of));
          }
          // the history is that of the messages alone
          const isCleared = happenings.some((one) => one !== 'lapse' && one.type === 'clearing');
          if (lived.length > 0 && !isCleared) expect(await historyOf(books, payment)).toEqual(lived);
        }),
        limit,
      );
      await expectSound();
    },
    MOST_MILLISECONDS,
  );

  test(
    'what has happened ends the same in any order, and what was asked holds the same',
    async () => {
      const opening = fc.record({
        purpose: fc.constantFrom('purchase' as const, 'increment' as const),
        amount,
      });
      const share = fc.option(fc.integer({ min: 1, max: 120 }), { nil: null });
      await fc.assert(
        fc.asyncProperty(
          rule,
          fc.constantFrom('0100' as const, '0120' as const),
          fc.array(fc.record({ opening, share, isBack: fc.boolean() }), { minLength: 1, maxLength: 4 }),
          fc.option(amount, { nil: null }),
          fc.array(record, { maxLength: 2 }),
          fc.array(fc.nat(), { minLength: 11, maxLength: 11 }),
          async (anyRule, type, openings, total, records, places) => {
            // what a request finds cleared declines it; which sum is still unknown depends on what is cleared of it
            const cleared = type === '0120' ? records : [];
            const of = cleared.length > 0 ? NOTHING_ADDED : anyRule;
            const all: (Wish | Cleared)[] = openings.flatMap(
              ({ opening: one, share: part, isBack }, index) => {
                const own = `m${String(index)}`;
                const taken = part === null ? null : Math.ceil((one.amount * part) / 100);
                return [
                  { ...message(type, one.purpose, own, one.amount) },
                  ...(isBack ? [back(taken, own, `r${String(index)}`)] : []),
                ];
              },
            );
            if (total !== null) all.push(message(type, 'completion', 'total', total));
            all.push(...cleared);
            const card = await cardWith(of);
            const ends: unknown[] = [];
            for (const order of [all, shuffledBy(all, places)]) {
              const payment = newPaymentId();
              for (const one of order)
                if (one.type === 'clearing') await clear(books, card, one, { payment });
                else await takeMessage(books, card, { ...one, payment });
              const sums = await sumsOf(books, payment);
              // what came too late was declined, so it is in no sum
              ends.push(type === '0120' ? sums : { held: sums?.held, status: sums?.status });
            }
            expect(ends[1]).toEqual(ends[0]);
          },
        ),
        limit,
      );
      await expectSound();
    },
    MOST_MILLISECONDS,
  );
});

function shuffledBy<Item>(items: readonly Item[], places: readonly number[]): Item[] {
  return items
    .map((item, index) => ({ item, place: places[index] ?? 0 }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

/** Every account holds what its open holds hold. */
async function expectSound(): Promise<void> {
  expect(
    await books.asOwner(
      `select a.id from accounts a where a.held <> coalesce((select sum(h.amount - h.captured) from holds h
         where h.account_id = a.id and h.status = 'open'), 0)`,
    ),
  ).toEqual([]);
}
