/**
 * Holds, captures, postings that must be booked, expiry and limits beside a model of them: in any order, over days on which clocks
 * change, with repeats and with answers that are lost, in assets of few and of many digits, every answer, every balance and every
 * counter is the one that the model predicts, and the books are sound after every step. `BOOKS_MODEL_RUNS` asks for more sequences.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { trialBalance } from '../../../db/ledger/trial-balance.ts';
import { WHOLE } from '../../support/bank/holds-model.ts';
import { openRun, openWorld, type World } from '../../support/bank/holds-run.ts';
import { patienceFor } from '../../support/patience.ts';
import { fc } from '../../support/property.ts';

/** Digits after the decimal point; an asset may have as many as 18. */
const SCALES = Array.from({ length: 19 }, (_, digits) => digits);
const RUNS = Number(process.env['BOOKS_MODEL_RUNS'] ?? 3);
const MOST_STEPS = 60;
const MOST_MILLISECONDS = patienceFor(120_000 + RUNS * 30_000);
/** What is held and booked for the tests has no row that the books know. */
const WITHOUT_SOURCE = ['every transaction has its source', 'every open hold has its source'];

let world: World;
beforeAll(async () => {
  world = await openWorld(SCALES);
});
afterAll(() => world.books.close());

const at = fc.nat(5);
/** Mostly little, so that limits fill up by many uses. */
const some = fc.oneof(
  { weight: 2, arbitrary: fc.bigInt(1n, WHOLE / 5n) },
  { weight: 1, arbitrary: fc.bigInt(1n, WHOLE) },
);
const yes = fc.boolean();
const seldom = fc.nat(4).map((n) => n === 0);
/** Hours until a hold is over, or over already. */
const due = fc.option(fc.integer({ min: -1, max: 30 }), { freq: 2 });
/** What is near the length of a day, of a window and of a day on which clocks change. */
const hours = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 22, max: 26 }), fc.constant(24));
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('book' as const),
      ...{ at, share: some, debit: seldom, must: yes },
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({ do: fc.constant('open' as const), at, share: some, must: seldom, due }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      ...{ at, share: fc.oneof({ weight: 4, arbitrary: some }, fc.constant(0n)), must: seldom, due },
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('capture' as const),
      ...{ at, share: some, final: seldom },
      kind: fc.constantFrom('plain' as const, 'plain' as const, 'late' as const, 'clearing' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), at }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('expire' as const) }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant('wait' as const), hours }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      at,
      status: fc.constantFrom(
        ...Array.from({ length: 5 }, () => 'open' as const),
        'blocked' as const,
        'frozen' as const,
        'closed' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), at, share: some }) },
);
const fate = fc.record({
  lost: fc.constantFrom(...[null, null, null, null, null], 'rolled back' as const, 'cut' as const),
  again: seldom,
});
const scales = fc.array(fc.constantFrom(...SCALES), { minLength: 1, maxLength: 2 });

/** The checks of the books that fail. */
async function broken(): Promise<unknown> {
  const { checks, totals } = await trialBalance(world.books.em());
  return [
    ...checks.filter(({ check, broken: rows }) => rows > 0 && !WITHOUT_SOURCE.includes(check)),
    ...totals.filter(({ sum }) => sum !== 0n),
  ];
}

test(
  'any sequence of holds, captures, forced postings, expiries and limits comes out as the model says, at every step',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        scales,
        fc.array(fc.tuple(step, fate), { minLength: MOST_STEPS / 2, maxLength: MOST_STEPS, size: 'max' }),
        async (digits, steps) => {
          const run = await openRun(world, digits);
          try {
            for (const [one, its] of steps) {
              await run.step(one, its);
              await run.expectSame();
              expect([one, await broken()]).toEqual([one, []]);
            }
          } finally {
            await run.finish();
          }
        },
      ),
      // a failure is told in time, however long its smallest example would take to find; fewer runs than these prove nothing
      { numRuns: RUNS, interruptAfterTimeLimit: MOST_MILLISECONDS, markInterruptAsFailure: true },
    );
  },
  MOST_MILLISECONDS + 60_000,
);
