/** Fee rules and rates defend themselves: against a wrong program, and what was in force stays to be read. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { priceTransfer } from '../../services/pricing/price.ts';
import {
  addFeeRule,
  addFeeRuleVersion,
  type NewFeeRuleVersion,
  feeRuleById,
} from '../../db/queries/pricing/fee-rules.ts';
import { addFxRate } from '../../db/queries/pricing/fx-rates.ts';
import { rows } from '../support/stack/sql.ts';
import { addPrices } from '../../dev/seed/demo-prices.ts';
import { AccountTypeId, FeeRuleId, FxRateId, type UserId } from '../../domain/ids.ts';
import { StoredCurrency, type CurrencyCode } from '../../domain/assets.ts';
import { SYSTEM } from '../../domain/actor.ts';
import { refuse, type Refusal } from '../../domain/refusals.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';

let books: Books;
/** What empties locks every table, which would stop the tests beside it in a shared bank. */
let empty: Books;
let somebody: UserId;
beforeAll(async () => {
  [books, empty] = [openBooks(await ownBank()), openBooks(await ownBank())];
  somebody = await books.user();
});
afterAll(() => Promise.all([books.close(), empty.close()]));

const currency = (code: string): CurrencyCode => StoredCurrency.parse(code);

const SILENT: NewFeeRuleVersion = {
  version: 1,
  purpose: 'transfer',
  asset: currency('DKK'),
  description: 'Fee',
  enabled: true,
  transferType: null,
  accountTypeId: null,
  cardProductId: null,
  priority: 0,
  flat: 0n,
  rateBps: '0',
  minimum: null,
  maximum: null,
  tierMode: 'graduated',
  tiers: [],
  validFrom: null,
  validTo: null,
};

async function rule(more: Partial<NewFeeRuleVersion> = {}): Promise<FeeRuleId> {
  const id = FeeRuleId.parse(randomUUID());
  const version = { ...SILENT, ...more };
  await books.ownerEm().transactional(async (tx) => {
    await addFeeRule(tx, { id, code: 'fee', purpose: version.purpose, asset: version.asset });
    await addFeeRuleVersion.run(tx, { ruleId: id, createdBy: somebody, ...version });
  });
  return id;
}

const next = (id: FeeRuleId, more: Partial<NewFeeRuleVersion>) =>
  addFeeRuleVersion.run(books.ownerEm(), { ruleId: id, createdBy: somebody, ...SILENT, version: 2, ...more });

test('a version keeps what its fee is at least and at most', async () => {
  const id = await rule({ minimum: 250n, maximum: 5_000n });
  expect(await feeRuleById.first(books.em(), { id })).toMatchObject({ minimum: 250n, maximum: 5_000n });
});

describe('a rule that cannot be', () => {
  test.each<[string, Partial<NewFeeRuleVersion>, string]>([
    ['costs less than nothing', { flat: -1n }, 'flat'],
    ['costs half a minor unit', { flat: '0.5' as unknown as bigint }, 'minor'],
    ['costs more than all', { rateBps: '10000.1' }, 'rate_bps'],
    ['has a maximum below its minimum', { minimum: 2n, maximum: 1n }, 'bounds'],
    ['has tiers that descend', { tiers: [tier('2'), tier('1')] }, 'ascend'],
    ['has a tier without a limit', { tiers: [{ ...tier('1'), above: null as unknown as string }] }, 'ascend'],
    ['has a tier below zero', { tiers: [{ ...tier('1'), flat: '-1' }] }, 'ascend'],
    [
      'ends before it begins',
      { validFrom: new Date('2099-01-02'), validTo: new Date('2099-01-01') },
      'period',
    ],
    ['began before it was written', { validFrom: new Date('2020-01-01') }, 'ahead'],
    ['is in a currency that is none', { asset: currency('XXX') }, 'asset'],
    ['is for a transfer type that is none', { transferType: 'by_pigeon' }, 'transfer_type'],
    ['is a share of a month', { purpose: 'monthly', rateBps: '1' }, 'monthly'],
  ])('%s', async (_name, more, constraint) => {
    await expect(rule(more)).rejects.toThrow(constraint);
  });

  function tier(above: string) {
    return { above, flat: '1', rate_bps: '0' };
  }
});

test('a version is the next one, of the same currency and purpose', async () => {
  const id = await rule();
  await expect(next(id, { version: 3 })).rejects.toThrow('previous');
  await expect(next(id, { asset: currency('SEK') })).rejects.toThrow('asset');
  await expect(next(id, { purpose: 'monthly' })).rejects.toThrow('purpose');
  await next(id, {});
  await expect(next(id, {})).rejects.toThrow('pkey');
});

test.each(['fee_rules', 'fee_rule_versions', 'fx_rates'])(
  '%s are only added to, by their owner too',
  async (table) => {
    await rule();
    await addRate('DKK', 'NOK', '1.5');
    await expect(books.asOwner(`delete from ${table}`)).rejects.toThrow('append-only');
    await expect(empty.asOwner(`truncate ${table} cascade`)).rejects.toThrow('append-only');
    const column = table === 'fee_rules' ? 'code' : table === 'fx_rates' ? 'source' : 'description';
    await expect(books.asOwner(`update ${table} set ${column} = 'other'`)).rejects.toThrow('append-only');
    await expect(rows(books.em(), `update ${table} set ${column} = 'other'`)).rejects.toThrow(
      'permission denied',
    );
  },
);

test('when something was written is not for its writer to say', async () => {
  const write = rows(
    books.em(),
    `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, source, created_at) values ($1, 'DKK', 'NOK', 1, 0, now(), 'x', '2020-01-01')`,
    [randomUUID()],
  );
  await expect(write).rejects.toThrow('permission denied');
});

test('an account type refers to a monthly rule in its currency only', async () => {
  const [transfer, foreign, fitting] = [
    await rule(),
    await rule({ purpose: 'monthly', asset: currency('SEK'), flat: 100n }),
    await rule({ purpose: 'monthly', flat: 100n }),
  ];
  const refer = (id: FeeRuleId) =>
    books.asOwner(
      `insert into account_types (code, name, asset, openable_by, enabled, monthly_fee_rule_id) values ($1, 'x', 'DKK', 'request', false, $2)`,
      [`m_${randomUUID().slice(0, 8)}`, id],
    );
  await expect(refer(transfer)).rejects.toThrow('monthly_fee');
  await expect(refer(foreign)).rejects.toThrow('monthly_fee');
  await expect(refer(fitting)).resolves.toBeDefined();
});

function addRate(
  base: string,
  quote: string,
  rate: string,
  more: { validFrom?: Date; validUntil?: Date } = {},
) {
  return addFxRate(books.ownerEm(), {
    id: FxRateId.parse(randomUUID()),
    base: currency(base),
    quote: currency(quote),
    rate,
    spreadBps: '0',
    validFrom: more.validFrom ?? null,
    validUntil: more.validUntil ?? null,
    source: 'test',
    createdBy: somebody,
  });
}

const price = (sourceAsset: string, targetAsset: string, minor: bigint, at?: Date) =>
  priceTransfer(
    { db: books.em(), actor: SYSTEM, refusal: refuse },
    {
      type: 'international',
      accountTypeId: AccountTypeId.parse(randomUUID()),
      sourceAsset,
      targetAsset,
      fixed: { side: 'source', minor },
      ...(at === undefined ? {} : { at }),
    },
  );

test('a price as of a time is what was in force then', async () => {
  const at = (time: string) => new Date(`2026-02-01T${time}:00.000Z`);
  await addRate('ISK', 'HUF', '2', { validFrom: at('10:00') });
  await addRate('ISK', 'HUF', '3', { validFrom: at('11:00'), validUntil: at('12:00') });
  expect((await price('ISK', 'HUF', 1n, at('10:59'))).target.minor).toBe(200n);
  expect((await price('ISK', 'HUF', 1n, at('11:00'))).target.minor).toBe(300n);
  const refused = (time: string) => price('ISK', 'HUF', 1n, at(time)).catch((error: Refusal) => error.code);
  expect(await refused('09:59')).toBe('rate_unavailable');
  expect(await refused('12:00')).toBe('rate_unavailable');
});

test('what of amount and fee the books could not hold has no price', async () => {
  await rule({ asset: currency('UYW'), rateBps: '10000' });
  await expect(price('UYW', 'UYW', 6n * 10n ** 37n)).rejects.toThrow('amount_not_convertible');
  expect((await price('UYW', 'UYW', 49n)).totalDebit).toEqual({ minor: 98n, asset: 'UYW' });
});

test('the demo’s prices are set where they are missing, and only there', async () => {
  const undone = new Error('undone');
  const tried = books.ownerEm().transactional(async (tx) => {
    const count = async () =>
      (
        await rows<{ rates: number; rules: number }>(
          tx,
          `select (select count(*) from fx_rates where source = 'demo')::int as rates, (select count(*) from fee_rules where code = 'transfer_abroad')::int as rules`,
        )
      )[0];
    await addPrices(tx);
    const first = await count();
    await addPrices(tx);
    expect(await count()).toEqual(first);
    expect(first).toMatchObject({ rules: 1 });
    expect(first?.rates).toBeGreaterThan(0);
    // other tests pay abroad too
    throw undone;
  });
  await expect(tried).rejects.toBe(undone);
});
