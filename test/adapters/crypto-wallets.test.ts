/**
 * Wallets opened at a custodian of the test's own: killed between any two steps, while it is away, busy or refuses. However often
 * a customer's wallets are opened, there is one vault and one wallet or tag of each.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pino, { type Logger } from 'pino';
import { z } from 'zod';
import { CustodianFailure, type Custodian } from '../../adapters/custody/custodian.ts';
import { createFireblocks } from '../../adapters/custody/fireblocks.ts';
import { knownWallet, walletsOf, wantWallets } from '../../db/queries/crypto/wallets.ts';
import type { CryptoVaultId, UserId } from '../../domain/ids.ts';
import { openWallets, refreshWallet, type OpeningDeps } from '../../services/crypto/opening-wallets.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { Vaults } from '../support/custodian/control.ts';
import { startCustodian, type SandboxCustodian } from '../support/custodian/process.ts';
import { Killed, killedAtStep } from '../support/killed.ts';
import { ownBank } from '../support/stack/database.ts';

let books: Books;
let sandbox: SandboxCustodian;
let custodian: Custodian;
let deps: OpeningDeps;
const alerts: string[] = [];
const log: Logger = pino(
  { level: 'error' },
  {
    write: (line: string) =>
      void alerts.push(String(z.looseObject({ alert: z.string() }).parse(JSON.parse(line)).alert)),
  },
);

const settings = () => ({
  CUSTODIAN_URL: `${sandbox.api}/v1`,
  CUSTODIAN_API_KEY: sandbox.apiKey,
  CUSTODIAN_SECRET_FILE: sandbox.keyFile,
});

beforeAll(async () => {
  [books, sandbox] = await Promise.all([ownBank().then(openBooks), startCustodian()]);
  custodian = createFireblocks(settings());
  deps = { em: books.em, custodian, log };
  await books.asOwner(`update crypto_assets set enabled = true where asset in ('BTC', 'ETH', 'XRP')`);
  await books.asOwner(
    `update asset_networks set enabled = true where asset in ('BTC', 'XRP') or network = 'ethereum'`,
  );
});
beforeEach(async () => {
  alerts.length = 0;
  await sandbox.told('DELETE', '/faults');
});
afterAll(async () => {
  await Promise.all([sandbox.stop(), books.close()]);
});

/** A customer who wants wallets, and their vault. */
async function wanting(): Promise<{ readonly customer: UserId; readonly vault: CryptoVaultId }> {
  const customer = await books.user();
  const { vault } = await wantWallets.one(books.em(), { customer, asset: null });
  return { customer, vault };
}
const DONE = { left: 0, isAway: false, retryInSeconds: null };
const filter = { asset: null, network: null, status: null, before: null, most: 50 };
const walletsNow = (customer: UserId) => walletsOf.all(books.em(), { ...filter, customer });

const vaults = async () => Vaults.parse(await sandbox.told('GET', '/vaults')).items;

/** The same, killed at one of its awaits. */
function killedAt(place: number): { readonly deps: OpeningDeps; readonly wasKilled: () => boolean } {
  const { step, cut, wasKilled } = killedAtStep(place);
  const dying: Custodian = {
    ...custodian,
    ensureVault: (vault) => cut(() => custodian.ensureVault(vault)),
    ensureWallet: (vault, asset) => cut(() => custodian.ensureWallet(vault, asset)),
    ensureTag: (vault, asset, owner) => cut(() => custodian.ensureTag(vault, asset, owner)),
    refreshBalance: (vault, asset) => cut(() => custodian.refreshBalance(vault, asset)),
  };
  const em = () => {
    step();
    return books.em();
  };
  return { deps: { em, custodian: dying, log }, wasKilled };
}

test('a worker that is killed at any await leaves one vault, one wallet and one tag, and all are opened after it', async () => {
  const customers: UserId[] = [];
  for (let place = 1; ; place += 1) {
    const { customer, vault } = await wanting();
    customers.push(customer);
    const killed = killedAt(place);
    const end = openWallets(killed.deps, vault);
    if (killed.wasKilled()) await expect(end).rejects.toBeInstanceOf(Killed);
    else await end.catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
    expect(await openWallets(deps, vault)).toEqual(DONE);
    if (!killed.wasKilled()) break;
  }
  // vault, wallet and tag are three calls for the first customer, and each is noted
  expect(customers.length).toBeGreaterThan(12);
  const all = await vaults();
  for (const customer of customers) {
    const mine = all.filter(({ name }) => name === `u:${customer}`);
    expect(mine.map(({ assets }) => assets.map(({ asset }) => asset).sort())).toEqual([
      ['BTC_TEST', 'ETH_TEST5'],
    ]);
    expect((await walletsNow(customer)).map(({ status }) => status)).toEqual(['active', 'active', 'active']);
  }
  expect(all.filter(({ name }) => name === 'bank:shared')).toHaveLength(1);
  const tags = (await Promise.all(customers.map(walletsNow))).flat().flatMap(({ memo }) => memo ?? []);
  expect(new Set(tags).size).toBe(customers.length);
});

test.each(['timeout_after_commit', 'http_500', 'http_503', 'timeout'])(
  'after %s of each call the wallets are opened once',
  async (fault) => {
    for (const call of ['create_vault', 'create_wallet', 'create_address']) {
      const { customer, vault } = await wanting();
      await sandbox.told('POST', '/faults', { call, fault, times: 1 });
      // gives up soon; whoever is patient finds what it has left
      const impatient = createFireblocks(settings(), 300);
      expect((await openWallets({ ...deps, custodian: impatient }, vault)).left).toBeGreaterThan(0);
      expect(await openWallets(deps, vault)).toEqual(DONE);
      const mine = (await vaults()).filter(({ name }) => name === `u:${customer}`);
      expect(mine.map(({ assets }) => assets.length)).toEqual([2]);
    }
    expect(alerts).toEqual([]);
  },
);

test('a custodian that is away opens nothing and loses nothing', async () => {
  const { customer, vault } = await wanting();
  const away = createFireblocks({ ...settings(), CUSTODIAN_URL: 'http://127.0.0.1:1/v1' });
  expect(await openWallets({ ...deps, custodian: away }, vault)).toEqual({
    left: 3,
    isAway: true,
    retryInSeconds: null,
  });
  expect((await walletsNow(customer)).map(({ status }) => status)).toEqual([
    'creating',
    'creating',
    'creating',
  ]);
  expect(await openWallets(deps, vault)).toMatchObject({ left: 0 });
});

test('what the custodian refuses is an alert, and keeps no other wallet from being opened', async () => {
  const { customer, vault } = await wanting();
  const refusing: Custodian = {
    ...custodian,
    ensureWallet: (number, asset) =>
      asset === 'ETH_TEST5'
        ? Promise.reject(new CustodianFailure('refused', 'it does not know the asset'))
        : custodian.ensureWallet(number, asset),
  };
  expect(await openWallets({ ...deps, custodian: refusing }, vault)).toMatchObject({ left: 1 });
  expect(alerts).toEqual(['crypto_wallet_refused']);
  const open = (await walletsNow(customer)).filter(({ status }) => status === 'active');
  expect(open.map(({ asset }) => asset).sort()).toEqual(['BTC', 'XRP']);
});

test('a vault that is refused is an alert, and keeps no wallet of another vault from being opened', async () => {
  const { customer, vault } = await wanting();
  const refusing: Custodian = {
    ...custodian,
    ensureVault: () => Promise.reject(new CustodianFailure('refused', 'it takes no such name')),
  };
  expect(await openWallets({ ...deps, custodian: refusing }, vault)).toMatchObject({
    left: 2,
    isAway: false,
  });
  expect(alerts).toEqual(['crypto_wallet_refused', 'crypto_wallet_refused']);
  // the vault that customers share was open before
  const open = (await walletsNow(customer)).filter(({ status }) => status === 'active');
  expect(open.map(({ asset }) => asset)).toEqual(['XRP']);
});

test('the address of another customer is given to nobody, and what else is wanted is opened', async () => {
  const [{ vault: first, customer: owner }, { vault: second, customer }] = [await wanting(), await wanting()];
  await openWallets(deps, first);
  const [taken] = (await walletsNow(owner)).filter(({ asset }) => asset === 'BTC');
  const confused: Custodian = {
    ...custodian,
    ensureWallet: async (number, asset) =>
      asset === 'BTC_TEST'
        ? { address: String(taken?.address), tag: null }
        : custodian.ensureWallet(number, asset),
    ensureTag: async (number, asset, whose) => ({
      ...(await custodian.ensureTag(number, asset, whose)),
      address: 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe',
    }),
  };
  expect(await openWallets({ ...deps, custodian: confused }, second)).toMatchObject({
    left: 2,
    isAway: false,
  });
  expect(alerts).toEqual(['crypto_wallet_refused', 'crypto_wallet_refused']);
  const open = (await walletsNow(customer)).filter(({ status }) => status === 'active');
  expect(open.map(({ asset }) => asset)).toEqual(['ETH']);
});

test('an address of other chains than the bank’s is shown to nobody', async () => {
  const { customer, vault } = await wanting();
  const elsewhere: Custodian = {
    ...custodian,
    ensureWallet: async (number, asset) =>
      asset === 'BTC_TEST'
        ? { address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', tag: null }
        : custodian.ensureWallet(number, asset),
  };
  expect(await openWallets({ ...deps, custodian: elsewhere }, vault)).toMatchObject({ left: 1 });
  expect(alerts).toEqual(['crypto_wallet_refused']);
  const [bitcoin] = (await walletsNow(customer)).filter(({ asset }) => asset === 'BTC');
  expect(bitcoin).toMatchObject({ status: 'creating', address: null });
});

test('a custodian that is busy leaves the figures of a wallet as they were', async () => {
  const { customer, vault } = await wanting();
  await openWallets(deps, vault);
  const [bitcoin] = (await walletsNow(customer)).filter(({ asset }) => asset === 'BTC');
  const wallet = bitcoin?.id;
  if (wallet === undefined) throw new Error('there is no wallet');
  await sandbox.told('POST', '/deposits', { address: bitcoin?.address, asset: 'BTC_TEST', amount: '0.5' });
  expect(await refreshWallet(deps, wallet)).toEqual({ wallet });
  const before = await knownWallet.one(books.em(), { id: wallet });
  expect(before).toMatchObject({ custodyTotal: 50_000_000n });
  for (const kind of ['busy', 'away', 'refused'] as const) {
    const failing = { ...custodian, refreshBalance: () => Promise.reject(new CustodianFailure(kind, 'no')) };
    expect(await refreshWallet({ ...deps, custodian: failing }, wallet)).toEqual({ refused: 'unavailable' });
  }
  const odd = { total: '0.000000001', available: '0', pending: '0', frozen: '0', locked: '0' };
  const finer = { ...custodian, refreshBalance: () => Promise.resolve(odd) };
  expect(await refreshWallet({ ...deps, custodian: finer }, wallet)).toEqual({ refused: 'unavailable' });
  expect(await knownWallet.one(books.em(), { id: wallet })).toEqual(before);
});
