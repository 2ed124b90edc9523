/** Posting: each command its own verdict, once, in order, whoever else posts at the same time. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { createPoster, post } from '../../support/bank/posting.ts';
import { brokenChecks } from '../../support/bank/proof.ts';
import { openOrm } from '../../../db/orm.ts';
import { rows } from '../../support/stack/sql.ts';
import { AccountId } from '../../../domain/ids.ts';
import { count, draft, openBooks, payment, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';
import { fc } from '../../support/property.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

async function accounts(...funds: bigint[]): Promise<AccountId[]> {
  const owner = await books.user();
  const opened: AccountId[] = [];
  for (const minor of funds) {
    const id = await books.account(owner);
    if (minor > 0n) await books.fund(id, minor);
    opened.push(id);
  }
  return opened;
}

test('one refusal in a batch leaves the others posted', async () => {
  const [rich, poor, shop] = (await accounts(1_000n, 5n, 0n)) as [AccountId, AccountId, AccountId];
  const verdicts = await post(books.ownerEm(), [
    payment(rich, shop, 100n),
    payment(poor, shop, 6n),
    payment(shop, rich, 30n),
  ]);
  expect(verdicts).toEqual(['posted', 'insufficient_funds', 'posted']);
  expect((await books.balance(shop)).posted).toBe(70n);
  expect((await books.balance(poor)).posted).toBe(5n);
});

test('money that arrives earlier in a batch can be spent later in it', async () => {
  const [giver, taker, last] = (await accounts(50n, 0n, 0n)) as [AccountId, AccountId, AccountId];
  expect(await post(books.ownerEm(), [payment(giver, taker, 50n), payment(taker, last, 50n)])).toEqual([
    'posted',
    'posted',
  ]);
  expect(await post(books.ownerEm(), [payment(taker, last, 1n), payment(last, taker, 1n)])).toEqual([
    'insufficient_funds',
    'posted',
  ]);
});

test('the same source is posted once, also by fifty callers at once', async () => {
  const [from, to] = (await accounts(1_000n, 0n)) as [AccountId, AccountId];
  const reference = randomUUID();
  const same = () =>
    draft(
      [
        { account: from, asset: 'EUR', amount: -10n },
        { account: to, asset: 'EUR', amount: 10n },
      ],
      reference,
    );
  const verdicts = await Promise.all(
    Array.from({ length: 50 }, async () => (await post(books.ownerEm(), [same()]))[0] ?? 'not_found'),
  );
  expect(count(verdicts)).toEqual({ posted: 1, duplicate: 49 });
  expect((await books.balance(to)).posted).toBe(10n);
});

test('an unbalanced draft is a programmer’s mistake: it throws, and the batch leaves nothing', async () => {
  const [from, to] = (await accounts(1_000n, 0n)) as [AccountId, AccountId];
  const wrong = draft([
    { account: from, asset: 'EUR', amount: -10n },
    { account: to, asset: 'EUR', amount: 9n },
  ]);
  await expect(post(books.ownerEm(), [payment(from, to, 1n), wrong])).rejects.toThrow(/sum to zero/);
  expect((await books.balance(from)).posted).toBe(1_000n);
});

test('a mistake in one caller’s draft does not fail the others in its batch', async () => {
  const [from, to] = (await accounts(1_000n, 0n)) as [AccountId, AccountId];
  const poster = createPoster(books.ownerEm);
  const outcomes = await Promise.allSettled([
    ...Array.from({ length: 10 }, () => poster.submit(payment(from, to, 1n))),
    poster.submit(draft([{ account: from, asset: 'EUR', amount: -1n }])),
    ...Array.from({ length: 10 }, () => poster.submit(payment(from, to, 1n))),
  ]);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect((await books.balance(to)).posted).toBe(20n);
});

test.each([
  ['blocked', 'account_blocked', 'posted'],
  ['frozen', 'account_blocked', 'account_blocked'],
])('a %s account refuses debits with %s and answers credits with %s', async (status, debit, credit) => {
  const [one, two] = (await accounts(100n, 100n)) as [AccountId, AccountId];
  await books.asOwner('update accounts set status = $2 where id = $1', [one, status]);
  expect(await post(books.ownerEm(), [payment(one, two, 1n), payment(two, one, 1n)])).toEqual([
    debit,
    credit,
  ]);
});

test('a closed account, an unknown one and another asset are each named', async () => {
  const [open, closed] = (await accounts(100n, 0n)) as [AccountId, AccountId];
  await books.asOwner(`update accounts set status = 'closed', closed_at = now() where id = $1`, [closed]);
  const dollars = await books.account(await books.user(), 'USD');
  expect(
    await post(books.ownerEm(), [
      payment(open, closed, 1n),
      payment(open, AccountId.parse(randomUUID()), 1n),
      payment(open, dollars, 1n),
    ]),
  ).toEqual(['account_closed', 'not_found', 'currency_mismatch']);
});

test('a credit above the account’s maximum is refused, one up to it passes', async () => {
  const [from, to] = (await accounts(1_000n, 0n)) as [AccountId, AccountId];
  await books.asOwner('update accounts set max_balance = 100 where id = $1', [to]);
  expect(
    await post(books.ownerEm(), [payment(from, to, 101n), payment(from, to, 100n), payment(from, to, 1n)]),
  ).toEqual(['balance_limit', 'posted', 'balance_limit']);
});

test('sixty-four callers drain one account to zero and never below', async () => {
  const [from, to] = (await accounts(100n, 0n)) as [AccountId, AccountId];
  const poster = createPoster(books.ownerEm);
  const alone = Promise.all(
    Array.from(
      { length: 64 },
      async () => (await post(books.ownerEm(), [payment(from, to, 3n)]))[0] ?? 'not_found',
    ),
  );
  const batched = Promise.all(Array.from({ length: 64 }, () => poster.submit(payment(from, to, 3n))));
  const counted = count([...(await alone), ...(await batched)]);
  expect(counted).toEqual({ posted: 33, insufficient_funds: 95 });
  expect((await books.balance(from)).posted).toBe(1n);
});

test('crossing batches over the same accounts never deadlock', async () => {
  const ring = await accounts(1_000n, 1_000n, 1_000n, 1_000n);
  const at = (index: number): AccountId => ring[index % ring.length] ?? AccountId.parse(randomUUID());
  const batches = Array.from({ length: 40 }, (_, turn) =>
    post(books.ownerEm(), [
      payment(at(turn), at(turn + 1), 1n),
      payment(at(turn + 3), at(turn + 2), 1n),
      payment(at(turn + 2), at(turn), 1n),
    ]),
  );
  expect(count((await Promise.all(batches)).flat())).toEqual({ posted: 120 });
});

test('any sequence of payments leaves exactly the balances that a model predicts, and an unbroken history', async () => {
  const step = fc.record({ from: fc.nat(3), to: fc.nat(3), minor: fc.bigInt(1n, 400n), cut: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const ids = await accounts(500n, 500n, 0n, 0n);
      const model = [500n, 500n, 0n, 0n];
      let batch: Parameters<typeof post>[1][number][] = [];
      let expected: string[] = [];
      const verify = async (): Promise<void> => {
        if (batch.length > 0) expect(await post(books.ownerEm(), batch)).toEqual(expected);
        batch = [];
        expected = [];
      };
      for (const { from, to, minor, cut } of steps) {
        const [source, target, have, had] = [ids[from], ids[to], model[from], model[to]];
        if (
          from === to ||
          source === undefined ||
          target === undefined ||
          have === undefined ||
          had === undefined
        )
          continue;
        batch.push(payment(source, target, minor));
        const covered = have >= minor;
        expected.push(covered ? 'posted' : 'insufficient_funds');
        if (covered) {
          model[from] = have - minor;
          model[to] = had + minor;
        }
        if (cut) await verify();
      }
      await verify();
      const balances = await Promise.all(ids.map(async (id) => (await books.balance(id)).posted));
      expect(balances).toEqual(model);
      const histories = await rows<{ broken: number }>(
        books.em(),
        `select count(*)::int as broken from (select seq, amount, balance_after, lag(balance_after, 1, 0::minor) over w as before, row_number() over w as step
           from ledger_entries where account_id = any($1) window w as (partition by account_id order by seq)) s
          where step <> seq or before + amount <> balance_after`,
        [ids],
      );
      expect(histories[0]?.broken).toBe(0);
    }),
    { numRuns: 12 },
  );
});

test('the trial balance is sound', async () => {
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('the trial balance is not bound by the time that a request may take', async () => {
  // a bank of its own: nobody else can book while its ledger is locked
  const { url, ownerUrl } = await ownBank();
  const orm = openOrm({ DATABASE_URL: url, DATABASE_POOL_MAX: 1 });
  const owner = new pg.Client(ownerUrl);
  await owner.connect();
  await rows(orm.em.fork(), `set statement_timeout = '200ms'`);
  await owner.query('begin; lock table ledger_entries in access exclusive mode');
  const [broken] = await Promise.all([brokenChecks(orm.em.fork()), wait(500).then(() => owner.end())]);
  expect(broken).toEqual([]);
  await orm.close(true);
});
