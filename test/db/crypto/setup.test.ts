/** Coins and networks in the database: written by functions for administrators alone, and brought by the migrator. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadStoredBank } from '../../../config.ts';
import { migrate } from '../../../db/migrate.ts';
import { coinNetwork } from '../../../db/queries/crypto/setup.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank, type Database } from '../../support/stack/database.ts';
import { rows } from '../../support/stack/sql.ts';
import { stack } from '../../support/stack/stack.ts';

const BANK = loadStoredBank(stack.serviceEnv);

let database: Database;
let books: Books;
beforeAll(async () => {
  database = await ownBank();
  books = openBooks(database);
});
afterAll(() => books.close());

const bitcoin = () => coinNetwork.one(books.em(), { asset: 'BTC', network: 'bitcoin' });
const migrated = (chains: 'mainnet' | 'testnet') => migrate(database.ownerUrl, { ...BANK, chains });

test('a program without an administrator changes nothing', async () => {
  for (const statement of [
    'update crypto_assets set enabled = true',
    'update asset_networks set enabled = true',
    `insert into crypto_assets (asset, name) values ('EUR', 'Euro')`,
    'delete from asset_networks',
  ])
    await expect(rows(books.em(), statement)).rejects.toThrow(/permission denied/);
  const customer = await books.user();
  await expect(rows(books.em(), `select crypto_asset_set('BTC', $1, '{}')`, [customer])).rejects.toThrow();
  await expect(
    rows(books.em(), `select asset_network_set('BTC', 'bitcoin', $1, '{"enabled": true}')`, [customer]),
  ).rejects.toThrow();
  expect(await bitcoin()).toMatchObject({ enabled: false, updatedBy: null });
});

test('the settings choose the chains until coins move on them', async () => {
  expect(await bitcoin()).toMatchObject({ chains: 'testnet', custodyAsset: 'BTC_TEST' });
  await migrated('mainnet');
  expect(await bitcoin()).toMatchObject({ chains: 'mainnet', custodyAsset: 'BTC', enabled: false });
  await books.asOwner(`update asset_networks set confirmations = 9 where asset = 'BTC'`);
  await migrated('mainnet');
  expect(await bitcoin()).toMatchObject({ confirmations: 9 });
  await books.asOwner(`update asset_networks set enabled = true where asset = 'BTC'`);
  await expect(migrated('testnet')).rejects.toThrow(/CRYPTO_CHAINS/);
  expect(await bitcoin()).toMatchObject({ chains: 'mainnet', custodyAsset: 'BTC' });
});
