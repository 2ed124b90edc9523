/** Whatever was booked and whichever days are asked for: the opening balance and the lines make the closing one. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { pageOfEntries } from '../../db/queries/ledger/entries.ts';
import { statementLines, type StatementRow } from '../../db/queries/statements/lines.ts';
import { statementHead } from '../../db/queries/statements/statements.ts';
import { scaleOf } from '../../domain/assets.ts';
import { formatMoney } from '../../domain/money.ts';
import { currencyScales } from '../../domain/standards/currencies.ts';
import { dayAt, decimalOf, type Period } from '../../domain/statements.ts';
import type { AccountId, UserId } from '../../domain/ids.ts';
import { now } from '../../domain/time/now.ts';
import { transactionCode } from '../../services/statements/transaction-codes.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import { bookPast } from '../support/bank/history.ts';
import { fc } from '../support/property.ts';

const ZONE = 'Europe/Berlin';
const HOUR = 3_600_000;
/** Over both changes of the clock. */
const BEGIN = Date.parse('2026-03-20T00:00:00Z');

let books: Books;
let owner: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  owner = await books.user();
});
afterAll(() => books.close());

interface Read {
  readonly opening: bigint;
  readonly closing: bigint;
  readonly lines: readonly StatementRow[];
}

async function read(account: AccountId, period: Period): Promise<Read> {
  const head = await statementHead.first(books.em(), { account, owner, timeZone: ZONE, ...period });
  if (head === undefined) throw new Error('no such account');
  const lines: StatementRow[] = [];
  for await (const some of statementLines(books.em(), {
    head,
    timeZone: ZONE,
    wholeNames: false,
    readAtOnce: 150,
  }))
    lines.push(...some);
  return { opening: head.opening, closing: head.closing, lines };
}

const entries = fc.array(
  fc.record({
    hours: fc.integer({ min: 0, max: 24 * 20 }),
    minor: fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }).filter((minor) => minor !== 0n),
  }),
  { maxLength: 40 },
);
const days = fc.tuple(
  fc.integer({ min: -2, max: 22 }),
  fc.integer({ min: 0, max: 8 }),
  fc.integer({ min: 0, max: 8 }),
);

test('two periods that follow one another meet at one balance, and hold each entry of their days once', async () => {
  await fc.assert(
    fc.asyncProperty(entries, days, async (drawn, [first, length, more]) => {
      const account = await books.account(owner);
      const booked = drawn
        .map(({ hours, minor }) => ({ at: new Date(BEGIN + hours * HOUR).toISOString(), minor }))
        .toSorted((one, other) => (one.at < other.at ? -1 : 1));
      await bookPast(books, { id: account, currency: 'EUR' }, withinOverdraft(booked));
      const day = (n: number): string => new Date(BEGIN + n * 24 * HOUR).toISOString().slice(0, 10);
      const one: Period = { from: day(first), to: day(first + length) };
      const next: Period = { from: day(first + length + 1), to: day(first + length + 1 + more) };
      const [a, b] = [await read(account, one), await read(account, next)];
      for (const { opening, closing, lines } of [a, b])
        expect(lines.reduce((sum, { amount }) => sum + amount, opening)).toBe(closing);
      expect(b.opening).toBe(a.closing);
      const expected = (period: Period): bigint[] =>
        withinOverdraft(booked)
          .filter(({ at }) => {
            const on = dayAt(new Date(at), ZONE);
            return period.from <= on && on <= period.to;
          })
          .map(({ minor }) => minor);
      expect(a.lines.map(({ amount }) => amount)).toEqual(expected(one));
      expect(b.lines.map(({ amount }) => amount)).toEqual(expected(next));
    }),
    { numRuns: 15 },
  );
});

test('an account with more entries than are read at once is read whole, in order, without one twice', async () => {
  const account = await books.account(owner);
  const many = Array.from({ length: 4_321 }, () => ({ at: '2026-03-25T10:00:00Z', minor: 1n }));
  await bookPast(books, { id: account, currency: 'EUR' }, many);
  const { lines } = await read(account, { from: '2026-03-25', to: '2026-03-25' });
  expect(lines.map(({ seq }) => Number(seq))).toEqual(many.map((_, index) => index + 1));
});

test('amounts of every currency are written as the wire writes them', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...currencyScales.keys()),
      fc.bigInt({ min: -(10n ** 37n), max: 10n ** 37n }),
      (asset, minor) => {
        expect(decimalOf(minor, scaleOf(asset))).toBe(formatMoney({ minor, asset }).amount);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a line that is no transfer names whom it was with and what was paid there', async () => {
  const account = await books.account(owner);
  const [house] = await books.asOwner(`select house_account('adjustments', 'EUR', $1) as id`, [randomUUID()]);
  const posted = async (kind: string, metadata: object): Promise<void> => {
    const entry = { asset: 'EUR', part: 'principal' };
    const command = {
      ...{ id: randomUUID(), kind, source_type: 'test', source_id: randomUUID() },
      ...{ description: 'Card 4242, OSLO NO', metadata },
      entries: [
        { ...entry, account: house?.['id'], amount: '-1000' },
        { ...entry, account, amount: '1000' },
      ],
    };
    await books.asOwner('select * from ledger_post($1)', [JSON.stringify([command])]);
  };
  const original = { amount: '12.34', currency: 'NOK' };
  await posted('card_refund', { counterparty: 'Kafé Ænda', original, rate: '1.234' });
  await posted('card_refund', { original: { amount: '12', currency: 'no such' } });
  const today = dayAt(now(), ZONE);
  const { lines } = await read(account, { from: today, to: today });
  expect(lines).toMatchObject([
    { counterpartyName: 'Kafé Ænda', otherAmount: 1_234n, otherAsset: 'NOK', rate: '1.234' },
    { counterpartyName: null, otherAmount: null, otherAsset: null, rate: null },
  ]);
  const page = { account, owner, order: 'asc', beyond: null, most: 5, wholeNames: false } as const;
  for (const wording of [['kafe'], ['oslo']]) {
    const found = await pageOfEntries.all(books.em(), { ...page, filter: { wording: [wording] } });
    expect(found[0]).toMatchObject({ seq: 1n, counterpartyName: 'Kafé Ænda' });
  }
});

test.each([
  ['transfer', 'principal', -1n, 'internal', 'PMNT ICDT BOOK'],
  ['transfer', 'principal', 1n, 'sepa', 'PMNT RCDT ESCT'],
  ['transfer', 'principal', -1n, 'international', 'PMNT ICDT XBCT'],
  ['return', 'principal', 1n, 'sepa', 'PMNT ICDT RRTN'],
  ['transfer', 'fee', -1n, 'sepa', 'ACMT MDOP CHRG'],
  ['account_fee', 'fee', -1n, null, 'ACMT MDOP CHRG'],
  ['adjustment', 'principal', 1n, null, 'ACMT MCOP ADJT'],
  ['card_purchase', 'principal', -1n, null, 'PMNT CCRD POSD'],
  ['card_cash', 'principal', -1n, null, 'PMNT CCRD CWDL'],
  ['card_refund', 'principal', 1n, null, 'PMNT CCRD RIMB'],
  ['dispute_credit', 'principal', 1n, null, 'PMNT CCRD CAJT'],
  ['dispute_reversal', 'principal', -1n, null, 'PMNT CCRD DAJT'],
  ['card_purchase', 'fee', -1n, null, 'ACMT MDOP CHRG'],
  ['of_some_day', 'principal', -1n, null, 'ACMT MDOP ADJT'],
] as const)('%s (%s, %s, %s) has the bank transaction code %s', (kind, part, amount, reach, expected) => {
  const { domain, family, sub } = transactionCode({ kind, part, amount, reach });
  expect([domain, family, sub].join(' ')).toBe(expected);
});

/** An account never goes below zero: a debit that would is turned round. */
function withinOverdraft<Item extends { readonly minor: bigint }>(items: readonly Item[]): Item[] {
  let balance = 0n;
  return items.map((item) => {
    const minor = balance + item.minor < 0n ? -item.minor : item.minor;
    balance += minor;
    return { ...item, minor };
  });
}
