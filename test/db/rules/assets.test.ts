/** What the books can hold: which assets there may be, what is never made for a coin, and how processes learn of new ones. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { createLogger } from '../../../adapters/logging.ts';
import { isCurrency, scaleOf } from '../../../domain/assets.ts';
import { formatHolding, formatMoney } from '../../../domain/money.ts';
import { keepAssets } from '../../../services/platform/assets.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank, type Database } from '../../support/stack/database.ts';
import { until } from '../../support/stack/processes.ts';

let database: Database;
let books: Books;
beforeAll(async () => {
  database = await ownBank();
  books = openBooks(database);
});
afterAll(() => books.close());

/** A code that no other test has. */
const freshCode = (): string => `X${randomBytes(4).toString('hex').toUpperCase()}`;

async function add(kind: string, scale: number, code = freshCode()): Promise<string> {
  await books.asOwner('insert into assets (code, scale, kind) values ($1, $2, $3)', [code, scale, kind]);
  return code;
}

test('an asset with more than 18 digits is refused in words that say how many the books keep', async () => {
  await expect(add('crypto', 24)).rejects.toThrow(/has 24 digits after the point; the books keep at most 18/);
  await expect(add('crypto', 19)).rejects.toThrow(/at most 18/);
  await expect(add('crypto', -1)).rejects.toThrow(/assets_scale_check/);
});

test.each(['OP', '1INCH', 'USDE'])('%s is a code as people write it', async (code) => {
  const undone = new Error('undone');
  const added = books.ownerEm().transactional(async (db) => {
    await db
      .getConnection()
      .execute(
        `insert into assets (code, scale, kind) values (?, 18, 'crypto')`,
        [code],
        'run',
        db.getTransactionContext(),
      );
    throw undone;
  });
  await expect(added).rejects.toBe(undone);
});

test('no account type, exchange rate, offer of a transfer, base or IBAN is made for a coin', async () => {
  const coin = await add('crypto', 8);
  await expect(
    books.asOwner(
      `insert into account_types (code, name, asset, openable_by) values ('of_a_coin', 'x', $1, 'request')`,
      [coin],
    ),
  ).rejects.toThrow(/is no currency/);
  for (const [base, quote] of [
    [coin, 'EUR'],
    ['EUR', coin],
  ])
    await expect(
      books.asOwner(
        `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, source) values ($1, $2, $3, 1, 0, now(), 'test')`,
        [randomUUID(), base, quote],
      ),
    ).rejects.toThrow(/is no currency/);
  await expect(
    books.asOwner(`insert into transfer_type_currencies select code, $1, 1 from transfer_types limit 1`, [
      coin,
    ]),
  ).rejects.toThrow(/is no currency/);
  await expect(books.asOwner('update fx_settings set base_asset = $1', [coin])).rejects.toThrow(
    /is no currency/,
  );
  const person = await books.user();
  await expect(
    books.asOwner(
      `insert into accounts (kind, owner_id, account_type_id, number, asset, iban)
       select 'customer', $1, t.id, next_account_number(), $2, 'DE02100100109307118603'
         from account_types t where t.code = 'current_eur'`,
      [person, coin],
    ),
  ).rejects.toThrow(/has no IBAN/);
});

test('a network is of a coin, and keeps what the chain says beside what the books say', async () => {
  const coin = await add('crypto', 18);
  const network = (asset: string, name: string): Promise<unknown> =>
    books.asOwner(
      `insert into asset_networks (asset, network, custody_asset, scale, confirmations, min_deposit)
       values ($1, $2, $3, 24, 12, 1000000000000000)`,
      [asset, name, randomUUID()],
    );
  await network(coin, 'ethereum');
  await network(coin, 'polygon');
  await expect(network('EUR', 'ethereum')).rejects.toThrow(/has no networks/);
  await expect(network(coin, 'pigeon')).rejects.toThrow(/asset_networks_network_fkey/);
});

test('a process learns of an asset as soon as it is there, and writes amounts of it', async () => {
  const em = () => books.em();
  const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');
  const assets = await keepAssets({ config: { DATABASE_URL: database.url }, em, log });
  const [coin, currency] = [freshCode(), freshCode()];
  expect(isCurrency(currency)).toBe(false);
  expect(() => scaleOf(coin)).toThrow(/is not known/);
  await add('crypto', 18, coin);
  await add('fiat', 5, currency);
  await until(() => isCurrency(currency));
  expect(formatHolding({ minor: 1n, asset: coin })).toEqual({ amount: '0.000000000000000001', asset: coin });
  expect(formatMoney({ minor: -1n, asset: currency })).toEqual({ amount: '-0.00001', currency });
  expect(isCurrency(coin)).toBe(false);
  await assets.close();
});

test('a reading that fails is tried again, with nobody telling', async () => {
  let [away, failed] = [false, false];
  const assets = await keepAssets({
    config: { DATABASE_URL: database.url },
    em: () => {
      if (!away) return books.em();
      failed = true;
      throw new Error('the database is away');
    },
    log: createLogger({ LOG_LEVEL: 'silent' }, 'test'),
  });
  away = true;
  const currency = await add('fiat', 2);
  await until(() => failed);
  away = false;
  await until(() => isCurrency(currency));
  await assets.close();
});

test('an asset is learnt also when its notice is lost', async () => {
  const assets = await keepAssets({
    config: { DATABASE_URL: database.url },
    em: () => books.em(),
    log: createLogger({ LOG_LEVEL: 'silent' }, 'test'),
    anyway: 100,
  });
  const currency = freshCode();
  await books.asOwner(`
    do $$ begin
      alter table assets disable trigger assets_told;
      insert into assets (code, scale, kind) values ('${currency}', 2, 'fiat');
      alter table assets enable trigger assets_told;
    end $$`);
  await until(() => isCurrency(currency));
  await assets.close();
});

test('what house accounts are for and what fees are charged for are rows, with those of cards and crypto', async () => {
  const listed = async (table: string): Promise<unknown[]> =>
    (await books.asOwner(`select code from ${table} order by code`)).map(({ code }) => code);
  expect(await listed('house_roles')).toEqual(
    expect.arrayContaining([
      ...['card_clearing', 'card_fees', 'interchange', 'disputes', 'nostro', 'suspense'],
      ...['custody', 'custody_transit', 'crypto_position', 'network_fees', 'dust'],
    ]),
  );
  expect(await listed('fee_purposes')).toEqual([
    ...['card_cash', 'card_fx', 'card_issue', 'card_replacement', 'crypto_order', 'crypto_withdrawal'],
    ...['monthly', 'transfer'],
  ]);
  const house = (role: string): Promise<unknown> =>
    books.asOwner(`select house_account($1, 'EUR', $2)`, [role, randomUUID()]);
  await house('card_clearing');
  await expect(house('piggy_bank')).rejects.toThrow(/accounts_role/);
});
