/** Wallets in the database: one for each customer and network whoever asks how often, and an address belongs to one customer for ever. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setCoinNetwork } from '../../../db/queries/crypto/setup.ts';
import {
  knownWallet,
  offeredTo,
  overdueVaults,
  walletOpened,
  walletRefreshed,
  walletsOf,
  wantedWallets,
  wantingCustomer,
  wantWallets,
} from '../../../db/queries/crypto/wallets.ts';
import { NETWORKS } from '../../../domain/addresses/address.ts';
import { carriesMemos } from '../../../domain/addresses/memo.ts';
import { CryptoWalletId, type UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';
import { rows } from '../../support/stack/sql.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
  await books.asOwner(`update crypto_assets set enabled = true where asset in ('BTC', 'USDC', 'XRP')`);
  await books.asOwner(
    `update asset_networks set enabled = true
      where (asset, network) in (('BTC', 'bitcoin'), ('USDC', 'polygon'), ('XRP', 'ripple'), ('ETH', 'ethereum'))`,
  );
});
afterAll(() => books.close());

const want = (customer: UserId, asset: string | null = null) =>
  wantWallets.one(books.em(), { customer, asset });
const filter = { asset: null, network: null, status: null, before: null, most: 50 };
const mine = (customer: UserId) => walletsOf.all(books.em(), { ...filter, customer });
const walletOf = async (customer: UserId, asset: string): Promise<CryptoWalletId> => {
  const [wallet] = await walletsOf.all(books.em(), { ...filter, customer, asset });
  return CryptoWalletId.parse(wallet?.id);
};
const opened = async (
  wallet: CryptoWalletId,
  address: string,
  memo: string | null = null,
  custodyAsset = 'BTC_TEST',
) => (await walletOpened.one(books.em(), { wallet, custodyAsset, address, memo })).refusal;

test('twenty who want at once get one vault and one wallet on each network that is offered', async () => {
  const customer = await books.user();
  const wanted = await Promise.all(Array.from({ length: 20 }, () => want(customer)));
  expect(new Set(wanted.map(({ vault }) => vault)).size).toBe(1);
  expect(wanted.every(({ fresh }) => fresh)).toBe(true);
  const wallets = await mine(customer);
  // Ether moves on a network that is offered, and is not offered itself
  expect(wallets.map(({ asset, network }) => `${asset}/${network}`).sort()).toEqual([
    'BTC/bitcoin',
    'USDC/polygon',
    'XRP/ripple',
  ]);
  expect(wallets.every(({ status, address }) => status === 'creating' && address === null)).toBe(true);
  expect(await rows(books.em(), 'select 1 from crypto_vaults where user_id = $1', [customer])).toHaveLength(
    1,
  );
});

test('one coin alone can be wanted, and where payments carry a tag the wallet lies in the shared vault', async () => {
  const customer = await books.user();
  const { vault } = await want(customer, 'XRP');
  expect((await mine(customer)).map(({ asset }) => asset)).toEqual(['XRP']);
  const [wanted] = await wantedWallets.all(books.em(), { vault });
  expect(wanted).toMatchObject({ name: 'bank:shared', customer, custodyAsset: 'XRP_TEST' });
  expect(wanted?.sharedId).not.toBeNull();
  expect(wanted?.vaultId).not.toBe(vault);
  expect(await wantingCustomer.first(books.em(), { vault })).toEqual({ customer });
  const offered = await offeredTo.all(books.em(), { customer, asset: null });
  expect(offered.map(({ asset, status }) => [asset, status])).toEqual([
    ['BTC', null],
    ['USDC', null],
    ['XRP', 'creating'],
  ]);
});

test('a wallet keeps its address, and nobody gets that of another customer', async () => {
  const [first, second] = [await books.user(), await books.user()];
  await Promise.all([want(first), want(second)]);
  const wallet = await walletOf(first, 'BTC');
  await opened(wallet, 'tb1qfirst');
  await opened(wallet, 'tb1qother');
  expect(await knownWallet.one(books.em(), { id: wallet })).toMatchObject({
    ...{ status: 'active', address: 'tb1qfirst', heldBy: wallet, userId: first },
  });
  const stranger = await walletOf(second, 'BTC');
  expect(await opened(stranger, 'tb1qfirst')).toBe('address_taken');
  expect(await opened(stranger, 'tb1qown', null, 'BTC')).toBe('asset_changed');
  // all chains after Ethereum have one address for a vault, and tags tell the customers of a shared one apart
  await opened(await walletOf(first, 'XRP'), 'rShared', '1', 'XRP_TEST');
  await opened(await walletOf(second, 'XRP'), 'rShared', '2', 'XRP_TEST');
  expect(await walletsOf.all(books.em(), { ...filter, customer: second, status: 'active' })).toMatchObject([
    { asset: 'XRP', address: 'rShared', memo: '2' },
  ]);
});

test('two wallets that are given one address at the same time are not both opened', async () => {
  const customers = await Promise.all(Array.from({ length: 6 }, () => books.user()));
  await Promise.all(customers.map((customer) => want(customer, 'BTC')));
  const wallets = await Promise.all(customers.map((customer) => walletOf(customer, 'BTC')));
  const ends = await Promise.all(wallets.map((wallet) => opened(wallet, 'tb1qsame')));
  expect(ends.filter((refusal) => refusal === null)).toHaveLength(1);
});

test('what the custodian calls a network with wallets stays', async () => {
  const customer = await books.user();
  await want(customer, 'USDC');
  const admin = await books.admin(['crypto:write']);
  const set = (change: Record<string, string | number>) =>
    setCoinNetwork.one(books.em(), { asset: 'USDC', network: 'polygon', by: admin, change });
  // nothing is lost while no wallet is open: a name that the custodian does not know can be corrected
  expect(await set({ custody_asset: 'USDC_AMOY' })).toEqual({ refusal: null });
  const wallet = await walletOf(customer, 'USDC');
  expect(await opened(wallet, '0xUsdc', null, 'USDC_POLYGON_TEST')).toBe('asset_changed');
  expect(await opened(wallet, '0xUsdc', null, 'USDC_AMOY')).toBeNull();
  for (const change of [{ custody_asset: 'USDC_POLYGON_TEST' }, { scale: 18 }, { contract: '0x1' }])
    expect(await set(change)).toEqual({ refusal: 'has_wallets' });
  expect(await set({ confirmations: 40 })).toEqual({ refusal: null });
});

test('what a wallet holds is kept whole or not at all, and the program writes neither rows nor addresses', async () => {
  const customer = await books.user();
  await want(customer, 'BTC');
  const wallet = await walletOf(customer, 'BTC');
  const held = { total: 7n, available: 4n, pending: 1n, frozen: 1n, locked: 1n };
  await walletRefreshed.one(books.em(), { wallet, ...held });
  expect(await knownWallet.one(books.em(), { id: wallet })).toMatchObject({
    ...{ custodyTotal: 7n, custodyAvailable: 4n, custodyPending: 1n, custodyFrozen: 1n, custodyLocked: 1n },
  });
  for (const statement of [
    `update crypto_wallets set address = 'tb1qmine', status = 'active'`,
    `insert into crypto_vaults (name) values ('bank:mine')`,
    `update crypto_vaults set custody_vault = '0'`,
    'delete from crypto_wallets',
  ])
    await expect(rows(books.em(), statement)).rejects.toThrow(/permission denied/);
  await expect(
    books.asOwner('update crypto_wallets set custody_total = null where id = $1', [wallet]),
  ).rejects.toThrow(/check constraint/);
});

test('what the bank no longer offers is not opened', async () => {
  const customer = await books.user();
  const { vault } = await want(customer, 'XRP');
  const offer = (enabled: boolean) =>
    books.asOwner(`update crypto_assets set enabled = $1 where asset = 'XRP'`, [enabled]);
  await offer(false);
  expect(await wantedWallets.all(books.em(), { vault })).toEqual([]);
  expect(await wantingCustomer.first(books.em(), { vault })).toBeUndefined();
  expect(await want(customer)).toMatchObject({ fresh: true });
  await offer(true);
  expect(await wantedWallets.all(books.em(), { vault })).toHaveLength(3);
});

test('what was wanted long ago is left to the process that goes on with it', async () => {
  const customer = await books.user();
  expect(await want(customer, 'BTC')).toMatchObject({ fresh: true });
  await books.asOwner(
    `update crypto_wallets set created_at = created_at - interval '2 minutes' where user_id = $1`,
    [customer],
  );
  expect(await want(customer, 'BTC')).toMatchObject({ fresh: false });
  // another coin is asked for at once
  expect(await want(customer, 'XRP')).toMatchObject({ fresh: true });
});

test('the networks on which customers share an address are those whose payments carry memos', async () => {
  expect(await rows(books.em(), 'select code from networks where carries_memos order by code')).toEqual(
    NETWORKS.filter(carriesMemos)
      .toSorted()
      .map((code) => ({ code })),
  );
});

test('a vault whose wallets wait for long is found, page by page', async () => {
  const customer = await books.user();
  const { vault } = await want(customer);
  await books.asOwner(
    `update crypto_wallets set created_at = created_at - interval '1 hour' where user_id = $1`,
    [customer],
  );
  const late = { lateSeconds: 1_800, most: 100 };
  expect(await overdueVaults.all(books.em(), { ...late, after: null })).toEqual([{ id: vault }]);
  expect(await overdueVaults.all(books.em(), { ...late, after: vault })).toEqual([]);
});
