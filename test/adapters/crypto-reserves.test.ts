/**
 * Proof of reserves at a custodian of the test's own: whatever arrives, moves between vaults or costs fees, what customers and the house
 * have is what lies there, and what the bank has not ordered is seen.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { brokenChecks } from '../support/bank/proof.ts';
import { knownWallet, type KnownWalletRow } from '../../db/queries/crypto/wallets.ts';
import type { CryptoWalletId } from '../../domain/ids.ts';
import { refreshWallet } from '../../services/crypto/opening-wallets.ts';
import { openCoinBank, type CoinBank, type Holder } from '../support/custodian/coin-bank.ts';
import { dice } from '../support/dice.ts';
import { SEED } from '../support/property.ts';
import { rows } from '../support/stack/sql.ts';

const RUNS = Number(process.env['RESERVE_RUNS'] ?? 3);
const STRANGER = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';

let bank: CoinBank;
/** A vault of the custodian's workspace that is not one of the bank's. */
let treasury: string;
beforeAll(async () => {
  bank = await openCoinBank();
  const { custodian } = bank.deps;
  treasury = await custodian.ensureVault({ name: 'treasury', reference: null, key: randomUUID() });
  await custodian.ensureWallet(treasury, 'BTC_TEST');
  await custodian.ensureWallet(treasury, 'ETH_TEST5');
  for (const [asset, network] of [
    ['BTC_TEST', 'bitcoin'],
    ['ETH_TEST5', 'ethereum'],
  ]) {
    await bank.sandbox.told('POST', '/deposits', { vault_id: treasury, asset, amount: '1000' });
    await bank.sandbox.told('POST', '/blocks', { network, count: 12 });
  }
});
beforeEach(() => {
  bank.alerts.length = 0;
});
afterAll(() => bank.close());

/** Takes in what has happened, and counts. */
async function counted(asset: string) {
  await bank.poll();
  const found = (await bank.count()).get(asset);
  if (found === undefined) throw new Error(`${asset} was not counted`);
  return found;
}

/** What the custodian holds in a wallet, and what the bank expects there. */
async function compared(holder: Holder, asset: 'USDC' | 'ETH' | 'XRP') {
  const { id } = await known(holder.wallet(asset).id);
  await refreshWallet(bank.deps, id);
  const { custodyTotal: total, custodyExpected: expected } = await known(id);
  return { total, expected };
}

/** The wallet, or the one that it shares with others. */
async function known(wallet: CryptoWalletId): Promise<KnownWalletRow> {
  const found = await knownWallet.one(bank.books.em(), { id: wallet });
  const { heldBy: id } = found;
  return id === null || id === wallet ? found : knownWallet.one(bank.books.em(), { id });
}

test('a deposit is in flight until it is credited, and what the custodian holds is accounted for all the way', async () => {
  const holder = await bank.customer();
  await bank.arrive(holder, 'BTC', '0.015');
  const before = { owed: '0', inFlight: '0.015', custodian: '0.015', difference: '0', shortfall: '0' };
  expect(await counted('BTC')).toMatchObject({ ...before, differsSince: null, shortSince: null });
  await bank.blocks('BTC', 3);
  expect(await counted('BTC')).toMatchObject({ ...before, owed: '0.015', inFlight: '0' });
  const [there] = (await counted('BTC')).networks;
  expect(there).toEqual({
    ...{ network: 'bitcoin', total: '0.015', available: '0.015', pending: '0', frozen: '0', locked: '0' },
  });
  await bank.reorganise('BTC', 3, true);
  expect(await counted('BTC')).toMatchObject({ ...before, custodian: '0', inFlight: '0' });
});

test('the house pays gas and fees: a token is swept from one vault of the bank to another, and no customer has less', async () => {
  const [holder, other] = [await bank.customer(), await bank.customer()];
  await bank.sandbox.told('PUT', '/settings', { gas_station: true });
  await bank.arrive(holder, 'USDC', '250');
  await bank.blocks('USDC', 12);
  await bank.sandbox.told('PUT', '/settings', { gas_station: false });
  const coming = await counted('ETH');
  expect(coming).toMatchObject({ owed: '0', difference: '0', house: {} });
  expect(Number(coming.inFlight)).toBeGreaterThan(0);
  await bank.blocks('ETH', 12);
  const gas = await counted('ETH');
  expect(gas).toMatchObject({ difference: '0', inFlight: '0', house: { network_fees: gas.custodian } });

  await bank.send(await bank.vaultOf(holder), 'USDC', '250', { vault: await bank.vaultOf(other) });
  for (const blocks of [0, 1, 12]) {
    await bank.blocks('ETH', blocks + 1);
    expect([await counted('ETH'), await counted('USDC')]).toMatchObject([
      { owed: '0', difference: '0' },
      { owed: '250', difference: '0', custodian: '250' },
    ]);
  }
  expect(await compared(holder, 'USDC')).toEqual({ total: 0n, expected: 0n });
  expect(await compared(other, 'USDC')).toEqual({ total: 250_000_000n, expected: 250_000_000n });
  const fuel = await compared(holder, 'ETH');
  expect(fuel.expected).toBe(fuel.total);
  const left = await counted('ETH');
  expect(Number(left.custodian)).toBeLessThan(Number(gas.custodian));
  expect(left.house).toEqual({ network_fees: left.custodian });
  expect([await bank.held(holder, 'USDC'), await bank.held(holder, 'ETH')]).toEqual([250_000_000n, 0n]);
  expect(bank.alerts).toEqual([]);
});

test('a wallet that customers share is compared with what all of them have received there', async () => {
  const [one, other] = [await bank.customer(), await bank.customer()];
  await bank.arrive(one, 'XRP', '20');
  await bank.arrive(other, 'XRP', '30');
  await bank.arrive(other, 'XRP', '5', { memo: '' });
  await bank.poll();
  const all = { total: 55_000_000n, expected: 55_000_000n };
  expect(await compared(one, 'XRP')).toEqual(all);
  await bank.blocks('XRP', 1);
  await bank.poll();
  expect(await compared(other, 'XRP')).toEqual(all);
  expect(await counted('XRP')).toMatchObject({ owed: '50', house: { suspense: '5' }, difference: '0' });
  bank.alerts.length = 0;
});

test('a transaction that has failed in a block has cost its fee, and one that no block contains nothing', async () => {
  const holder = await bank.customer();
  const vault = await bank.vaultOf(holder);
  await bank.send(treasury, 'ETH', '1', { vault });
  await bank.blocks('ETH', 12);
  const before = await counted('ETH');
  const other = await bank.vaultOf(await bank.customer());
  const [reverted, dropped] = [
    await bank.send(vault, 'ETH', '0.1', { vault: other }),
    await bank.send(vault, 'ETH', '0.1', { vault: other }),
  ];
  await bank.blocks('ETH', 1);
  const [failed, network_fee] = ['FAILED', '0.002'];
  await bank.sandbox.told('POST', `/transactions/${reverted}`, { status: failed, network_fee });
  await bank.sandbox.told('POST', `/transactions/${dropped}`, { status: failed });
  const after = await counted('ETH');
  expect(after).toMatchObject({ difference: '0', inFlight: '0' });
  expect((Number(before.custodian) - Number(after.custodian)).toFixed(6)).toBe('0.002000');
});

test('coins that come from a vault of nobody, or go there, are the bank’s own, also if the chain takes them back', async () => {
  const vault = await bank.vaultOf(await bank.customer());
  const start = await bank.house('crypto_position', 'BTC');
  await bank.send(treasury, 'BTC', '2', { vault });
  await bank.blocks('BTC', 1);
  expect(await counted('BTC')).toMatchObject({ difference: '0', inFlight: '2' });
  await bank.blocks('BTC', 2);
  expect(await counted('BTC')).toMatchObject({ difference: '0', inFlight: '0' });
  expect((await bank.house('crypto_position', 'BTC')) - start).toBe(200_000_000n);
  await bank.reorganise('BTC', 3, false);
  expect(await counted('BTC')).toMatchObject({ difference: '0' });
  expect((await bank.house('crypto_position', 'BTC')) - start).toBe(0n);
  await bank.blocks('BTC', 4);
  expect(await counted('BTC')).toMatchObject({ difference: '0', inFlight: '0' });
  await bank.send(vault, 'BTC', '0.5', { vault: treasury });
  await bank.blocks('BTC', 3);
  expect(await counted('BTC')).toMatchObject({ difference: '0', inFlight: '0' });
  expect((await bank.house('crypto_position', 'BTC')) - start).toBe(150_000_000n);
  expect(await bank.house('network_fees', 'BTC')).toBeLessThan(0n);
});

test.each(Array.from({ length: RUNS }, (_, run) => SEED + run))(
  'by chance (seed %i) everything is accounted for to the last digit',
  async (seed) => {
    const chance = dice(seed);
    const [one, other] = [await bank.customer(), await bank.customer()];
    const [mine, theirs] = [await bank.vaultOf(one), await bank.vaultOf(other)];
    const amount = (): string => `0.0${String(1 + chance(9))}`;
    const steps = [
      () => bank.arrive(chance(2) === 0 ? one : other, 'BTC', amount()),
      () => bank.send(treasury, 'BTC', amount(), { vault: chance(2) === 0 ? mine : theirs }),
      () => bank.send(mine, 'BTC', amount(), { vault: theirs }),
      () => bank.send(theirs, 'BTC', amount(), { vault: treasury }),
      () => bank.blocks('BTC', 1 + chance(3)),
      () => bank.reorganise('BTC', 1 + chance(3), chance(3) === 0),
      () => bank.poll(),
    ];
    for (let step = 0; step < 40; step += 1) {
      await steps[chance(steps.length)]?.();
      if (chance(4) === 0) expect(await counted('BTC')).toMatchObject({ difference: '0' });
    }
    await bank.blocks('BTC', 4);
    expect(await counted('BTC')).toMatchObject({ difference: '0', inFlight: '0' });
  },
);

test('what leaves a vault without an order is put aside, and missing until somebody has looked', async () => {
  const holder = await bank.customer();
  await bank.arrive(holder, 'BTC', '1');
  await bank.blocks('BTC', 3);
  const sound = await counted('BTC');
  const id = await bank.send(await bank.vaultOf(holder), 'BTC', '0.4', { address: STRANGER });
  await bank.blocks('BTC', 3);
  const missing = await counted('BTC');
  expect(bank.alerts).toEqual(['custody_transfer_aside']);
  expect((await bank.aside()).filter(({ resource }) => resource === id)).toEqual([
    { resource: id, fault: 'not_ordered' },
  ]);
  expect(missing).toMatchObject({ owed: sound.owed, differsSince: missing.countedAt });
  expect(Number(missing.difference)).toBeLessThan(-0.4);

  // a quarter of an hour later
  await bank.books.asOwner(
    `update crypto_reserves set differs_since = differs_since - interval '15 minutes', counted_at = counted_at - interval '1 minute'`,
  );
  expect(await counted('BTC')).toMatchObject({ difference: missing.difference });
  await counted('BTC');
  expect(bank.alerts).toEqual(['custody_transfer_aside', 'crypto_reserves_differ']);
});

test('a custodian that is away leaves the last count as it was, with its time', async () => {
  const before = await counted('BTC');
  await bank.sandbox.told('POST', '/faults', { call: 'vault_assets', fault: 'http_503', times: 1 });
  expect((await bank.count()).get('BTC')).toEqual(before);
  expect((await bank.count()).get('BTC')?.countedAt).not.toEqual(before.countedAt);
});

test('the books are sound after all this', async () => {
  expect(await brokenChecks(bank.books.em())).toEqual([]);
  expect(await rows(bank.books.em(), 'select 1 from custody_movements where booked <> chain_amount')).toEqual(
    [],
  );
});
