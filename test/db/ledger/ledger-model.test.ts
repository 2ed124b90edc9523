/**
 * The books beside a model of them: whatever is done in whatever order, over currencies with no, two and three decimals, each answer,
 * balance and hold is the one that the model predicts, and the past stays what it was.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { trialBalance } from '../../../db/ledger/trial-balance.ts';
import { brokenChecks } from '../../support/bank/proof.ts';
import { ASSETS } from '../../support/bank/ledger-histories.ts';
import { openLedgerModel } from '../../support/bank/ledger-model.ts';
import { ownBank } from '../../support/stack/database.ts';
import { fc } from '../../support/property.ts';

const RUNS = 100;
const MOST_STEPS = 30;
const LOOK_EVERY = 5;

let books: Books;
let model: Awaited<ReturnType<typeof openLedgerModel>>;
beforeAll(async () => {
  books = openBooks(await ownBank());
  model = await openLedgerModel(books);
});
afterAll(() => books.close());

const account = fc.nat(2 * ASSETS.length - 1);
const minor = fc.bigInt(1n, 600n);
/** Counted from the newest, so that what waits is mostly decided before it is forgotten. */
const which = fc.nat(4);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('fund' as const), account, minor: fc.bigInt(1n, 1_000n) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      from: account,
      to: account,
      minor,
      fee: fc.oneof(fc.constant(0n), fc.bigInt(1n, 20n)),
      spread: fc.bigInt(0n, 3n),
      waits: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('adjust' as const),
      account,
      minor,
      debit: fc.boolean(),
      daysBack: fc.nat(400),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reverse' as const), which }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      which,
      kind: fc.constantFrom('execute', 'execute', 'reject', 'cancel', 'expire'),
      by: fc.nat(1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      account,
      payer: fc.boolean(),
      status: fc.constantFrom('open', 'blocked', 'blocked', 'closed'),
    }),
  },
);

test('any sequence of operations over three currencies comes out as the model says, at every point of its history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: MOST_STEPS, size: 'max' }), async (steps) => {
      const run = await model.begin();
      for (const [index, one] of steps.entries()) {
        await run.take(one);
        if (index % LOOK_EVERY === 0) await run.expectSame();
      }
      await run.expectSame();
      await run.expectHistories();
    }),
    { numRuns: RUNS },
  );
  expect(await brokenChecks(books.em())).toEqual([]);
  const { totals } = await trialBalance(books.em());
  expect(totals.filter(({ sum }) => sum !== 0n)).toEqual([]);
}, 300_000);
