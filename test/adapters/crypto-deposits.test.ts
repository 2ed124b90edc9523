/**
 * Deposits from the chain to the customer's balance, at a custodian of the test's own: told by events or found by asking, in whatever
 * order and however often, each is credited once, and what a chain takes back is taken back.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { releaseDeposit } from '../../db/queries/crypto/deposits.ts';
import { lookAtDeposit } from '../../services/crypto/deposits.ts';
import { clearDeposits } from '../support/bank/watch.ts';
import { openCoinBank, type CoinBank } from '../support/custodian/coin-bank.ts';
import { expectCoinsProved } from '../support/custodian/coin-proof.ts';
import { row } from '../support/stack/sql.ts';

let bank: CoinBank;
beforeAll(async () => {
  bank = await openCoinBank();
});
beforeEach(() => {
  bank.alerts.length = 0;
});
afterAll(() => bank.close());

test('without any webhook a deposit is pending with its confirmations, and credited once with the last of them', async () => {
  const holder = await bank.customer();
  const id = await bank.arrive(holder, 'BTC', '0.015');
  const seen: unknown[] = [];
  for (const blocks of [0, 1, 1, 1]) {
    if (blocks > 0) await bank.blocks('BTC', blocks);
    await bank.poll();
    const [deposit] = await bank.deposits(holder);
    seen.push([deposit?.status, deposit?.confirmations, await bank.held(holder, 'BTC')]);
  }
  expect(seen).toEqual([
    ...[0, 1, 2].map((confirmations) => ['pending', confirmations, 0n]),
    ['credited', 3, 1_500_000n],
  ]);
  const { address } = holder.wallet('BTC');
  const before = await bank.deposits(holder);
  expect(before).toMatchObject([{ amount: 1_500_000n, address, memo: null, requiredConfirmations: 3 }]);
  await bank.poll();
  await bank.blocks('BTC', 2);
  await bank.poll();
  expect(await bank.deposits(holder)).toMatchObject([{ ...before[0], confirmations: expect.any(Number) }]);
  expect(await bank.booked(id)).toEqual([['credit']]);
  expect(await bank.held(holder, 'BTC')).toBe(1_500_000n);
  expect(bank.alerts).toEqual([]);
});

test('of a token with 18 digits on its chain and 6 in the books, each digit is accounted for', async () => {
  const holder = await bank.customer();
  const ids = [
    await bank.arrive(holder, 'USDT', '5.000000600000000001'),
    await bank.arrive(holder, 'USDT', '2.000000600000000001'),
  ];
  await bank.poll();
  expect(await bank.deposits(holder)).toMatchObject([
    { status: 'pending', amount: 2_000_000n },
    { status: 'pending', amount: 5_000_000n },
  ]);
  await bank.blocks('USDT', 15);
  await bank.poll();
  expect(await bank.booked(...ids)).toEqual([['credit'], ['credit']]);
  expect(await bank.held(holder, 'USDT')).toBe(7_000_000n);
  // the two rests are more than a unit of the books
  expect(await bank.house('dust', 'USDT')).toBe(1n);
  await expectCoinsProved(bank, ['USDT']);
});

test('two outputs of one transaction to two customers are credited to each', async () => {
  const [one, other] = [await bank.customer(), await bank.customer()];
  const outputs = [one, other].map((holder, at) => ({
    ...{ address: holder.wallet('BTC').address, amount: `0.0000${String(at + 2)}` },
  }));
  await bank.sandbox.told('POST', '/deposits', { asset: 'BTC_TEST', outputs });
  await bank.blocks('BTC', 3);
  await bank.poll();
  expect([await bank.held(one, 'BTC'), await bank.held(other, 'BTC')]).toEqual([2_000n, 3_000n]);
});

test('a tag says whose a deposit is, and without one the coins wait in suspense for somebody to look', async () => {
  const [one, other] = [await bank.customer(), await bank.customer()];
  expect(one.wallet('XRP').address).toBe(other.wallet('XRP').address);
  await bank.arrive(one, 'XRP', '20');
  await bank.blocks('XRP', 1);
  await bank.poll();
  expect([await bank.held(one, 'XRP'), await bank.held(other, 'XRP')]).toEqual([20_000_000n, 0n]);
  expect(bank.alerts).toEqual([]);

  const before = await bank.house('suspense', 'XRP');
  const lost = await bank.arrive(one, 'XRP', '30', { memo: '' });
  await bank.blocks('XRP', 1);
  await bank.poll();
  await bank.poll();
  expect(bank.alerts).toEqual(['crypto_deposit_under_review']);
  expect((await bank.house('suspense', 'XRP')) - before).toBe(30_000_000n);
  expect(await bank.booked(lost)).toEqual([['suspense']]);
  expect(await bank.held(one, 'XRP')).toBe(20_000_000n);
  expect(
    await row(bank.books.em(), 'select status, user_id, fault from crypto_deposits where custody_id = $1', [
      lost,
    ]),
  ).toEqual({
    ...{ status: 'under_review', user_id: null, fault: 'no_memo' },
  });
});

test('what came without a tag is released to a customer, and a chain that drops it takes it back from them', async () => {
  const holder = await bank.customer();
  const id = await bank.arrive(holder, 'XRP', '30', { memo: '' });
  await bank.blocks('XRP', 1);
  await bank.poll();
  const deposit = await bank.depositOf(id);
  const by = await bank.books.admin(['crypto:write']);
  const order = { deposit, customer: holder.id, by, clock: new Date() };
  expect(await releaseDeposit.one(bank.books.em(), order)).toEqual({ refusal: null });
  await bank.poll();
  expect(await bank.deposits(holder)).toMatchObject([{ id: deposit, status: 'credited' }]);
  expect(await bank.held(holder, 'XRP')).toBe(30_000_000n);
  await bank.reorganise('XRP', 1, false);
  await bank.poll();
  expect(await bank.held(holder, 'XRP')).toBe(0n);
  await bank.blocks('XRP', 1);
  await bank.poll();
  expect(await bank.held(holder, 'XRP')).toBe(30_000_000n);
  expect(await bank.booked(id)).toEqual([['suspense', 'reversal', 'credit', 'reversal', 'credit']]);
  expect(bank.alerts).toEqual(['crypto_deposit_under_review', 'crypto_deposit_reversed']);
});

test('coins from an address on a sanctions list wait in suspense, and are credited once two reviewers have cleared them', async () => {
  const holder = await bank.customer();
  // a list need not write an address as the custodian does
  const source = '0x52908400098527886E0F7030069857D2E4169EE7';
  await bank.books.asOwner(
    `insert into screening_entries (source, ref, kind, names, details, content_hash, identity_hash, since_version)
       values ('own', 'A-1', 'person', '[{"name": "Askel Darvik", "quality": "primary"}]', $1, 'c', 'i', 1)`,
    [JSON.stringify({ identifiers: [{ type: 'crypto_address', value: source.toLowerCase() }] })],
  );
  const id = await bank.arrive(holder, 'USDT', '5', { source_address: source });
  await bank.blocks('USDT', 15);
  await bank.poll();
  expect(await bank.deposits(holder)).toMatchObject([{ status: 'under_review' }]);
  expect(await bank.booked(id)).toEqual([['suspense']]);
  for (const reviewer of [await bank.books.admin(['aml:review']), await bank.books.admin(['aml:review'])]) {
    expect(await bank.held(holder, 'USDT')).toBe(0n);
    await clearDeposits(bank.books, reviewer);
    await lookAtDeposit(bank.deps, await bank.depositOf(id));
  }
  expect(await bank.held(holder, 'USDT')).toBe(5_000_000n);
  expect(await bank.booked(id)).toEqual([['suspense', 'reversal', 'credit']]);
});

test.each([
  ['DOGE', 6, 20, 10n ** 10n],
  ['SOL', 1, 32, 10n ** 11n],
] as const)(
  'a deposit of %s that the custodian has completed after %i blocks, and counts no more, waits until the chain has %i',
  async (asset, completed, needed, amount) => {
    const holder = await bank.customer();
    const id = await bank.arrive(holder, asset, '100');
    await bank.blocks(asset, completed);
    await bank.poll();
    const deposit = await bank.depositOf(id);
    const look = () => lookAtDeposit(bank.deps, deposit);
    const done = { status: 'completed', confirmations: completed };
    expect(await bank.deps.custodian.getTransfer(id)).toMatchObject(done);
    const waits = { status: 'pending', isOpen: true, isNear: true, isAway: false };
    expect(await look()).toEqual(waits);
    await bank.blocks(asset, needed - completed - 1);
    expect(await look()).toEqual(waits);
    expect(await bank.deposits(holder)).toMatchObject([{ status: 'pending', confirmations: needed - 1 }]);
    expect(await bank.held(holder, asset)).toBe(0n);
    await bank.blocks(asset, 1);
    expect(await bank.deps.custodian.getTransfer(id)).toMatchObject(done);
    expect(await look()).toMatchObject({ status: 'credited', isOpen: false });
    expect(await look()).toMatchObject({ status: 'credited', isOpen: false });
    await bank.poll();
    expect(await bank.held(holder, asset)).toBe(amount);
    expect(await bank.booked(id)).toEqual([['credit']]);
  },
);

test('fifty events of each of three deposits, shuffled and taken by several workers, leave one credit of each', async () => {
  const holder = await bank.customer();
  const ids: string[] = [];
  for (const amount of ['1', '2', '4']) ids.push(await bank.arrive(holder, 'BTC', amount));
  const shuffled = ids
    .flatMap((id) => Array.from({ length: 50 }, () => id))
    .map((id) => ({ id, place: randomInt(2 ** 40) }))
    .sort((a, b) => a.place - b.place);
  for (const part of [0, 1, 2]) {
    const events = shuffled.slice(part * 50, part * 50 + 50);
    await Promise.all(events.map(({ id }) => bank.event(id)));
    if (part === 0) await bank.events();
    await bank.blocks('BTC', part === 0 ? 2 : 1);
  }
  await Promise.all([bank.events(), bank.events(), bank.poll(), bank.events()]);
  expect(await bank.waiting()).toEqual([]);
  expect(await bank.booked(...ids)).toEqual([['credit'], ['credit'], ['credit']]);
  expect(await bank.held(holder, 'BTC')).toBe(700_000_000n);
  expect(bank.alerts).toEqual([]);

  // the custodian sends everything again
  await Promise.all(ids.map(bank.event));
  await bank.events();
  expect(await bank.waiting()).toEqual([]);
  expect(await bank.held(holder, 'BTC')).toBe(700_000_000n);
});

test('an event of a transaction that the custodian does not know waits ten minutes, and is put aside once', async () => {
  const [young, old] = [randomUUID(), randomUUID()];
  await bank.event(young);
  const aged = () =>
    bank.books.asOwner(
      `insert into custody_events (event_key, type, resource, body, received_at)
         values ($1, 'transaction.created', $2, $1::text::bytea, bank_now() - interval '10 minutes')`,
      [randomUUID(), old],
    );
  await aged();
  await bank.events();
  expect(await bank.waiting()).toEqual([{ resource: young, claimed: true }]);
  expect(await bank.aside()).toContainEqual({ resource: old, fault: 'unknown_transfer' });
  expect(bank.alerts).toEqual(['custody_transfer_aside']);

  await aged();
  await bank.events();
  await bank.forgetClaims();
  await bank.events();
  expect(await bank.waiting()).toEqual([{ resource: young, claimed: true }]);
  expect(bank.alerts).toEqual(['custody_transfer_aside']);
});

test('a token that the bank does not know is put aside with one alert, and nothing of it is booked', async () => {
  const holder = await bank.customer();
  const id = await bank.arrive(holder, 'USDT', '1000000', { contract: '0xFree' });
  for (const blocks of [1, 14, 1]) {
    await bank.event(id);
    await bank.event(id);
    await bank.events();
    await bank.poll();
    await bank.blocks('USDT', blocks);
  }
  expect(bank.alerts).toEqual(['custody_transfer_aside']);
  const aside = (await bank.aside()).filter(({ resource }) => resource === id);
  expect(aside).toEqual([{ resource: id, fault: 'unknown_asset' }]);
  expect((await bank.waiting()).filter(({ resource }) => resource === id)).toEqual([]);
  expect(await bank.deposits(holder)).toEqual([]);
  expect(await bank.booked(id)).toEqual([[]]);
});

test('gas that the custodian sends to a vault is no deposit: the house has it, and no customer', async () => {
  const holder = await bank.customer();
  await bank.sandbox.told('PUT', '/settings', { gas_station: true });
  const id = await bank.arrive(holder, 'USDC', '250');
  await bank.blocks('USDC', 12);
  await bank.sandbox.told('PUT', '/settings', { gas_station: false });
  await bank.blocks('USDC', 12);
  const { address } = holder.wallet('ETH');
  const gas = [];
  for await (const told of bank.deps.custodian.transfersSince(0))
    if (!('unreadable' in told) && told.asset === 'ETH_TEST5' && told.address === address) gas.push(told);
  expect(gas).toMatchObject([{ from: { kind: 'gas_station' }, status: 'completed' }]);
  for (const told of gas) await bank.event(told.id);
  await bank.events();
  await bank.poll();
  expect(await bank.deposits(holder)).toMatchObject([{ asset: 'USDC', status: 'credited' }]);
  expect(await bank.booked(id)).toEqual([['credit']]);
  expect(await bank.held(holder, 'ETH')).toBe(0n);
  expect(await bank.house('network_fees', 'ETH')).toBeGreaterThan(0n);
  expect(await bank.house('custody', 'ETH')).toBe(-(await bank.house('network_fees', 'ETH')));
  expect(bank.alerts).toEqual([]);
});

test('a reorganisation before the credit begins the count again, and the deposit is credited once', async () => {
  const holder = await bank.customer();
  const id = await bank.arrive(holder, 'BTC', '0.5');
  await bank.blocks('BTC', 2);
  await bank.poll();
  expect(await bank.deposits(holder)).toMatchObject([{ status: 'pending', confirmations: 2 }]);
  await bank.reorganise('BTC', 2, false);
  await bank.poll();
  expect(await bank.deposits(holder)).toMatchObject([{ status: 'pending', confirmations: 0 }]);
  await bank.blocks('BTC', 2);
  await bank.poll();
  expect(await bank.held(holder, 'BTC')).toBe(0n);
  await bank.blocks('BTC', 1);
  await bank.poll();
  expect(await bank.held(holder, 'BTC')).toBe(50_000_000n);
  expect(await bank.booked(id)).toEqual([['credit']]);
  expect(bank.alerts).toEqual([]);
});

test('a deposit that vanishes before it is credited is reversed, and nothing was booked', async () => {
  const holder = await bank.customer();
  const id = await bank.arrive(holder, 'BTC', '0.5');
  await bank.blocks('BTC', 2);
  await bank.poll();
  await bank.reorganise('BTC', 2, true);
  await bank.poll();
  expect(await bank.deposits(holder)).toMatchObject([{ status: 'reversed', confirmations: 0 }]);
  expect(await bank.booked(id)).toEqual([[]]);
  expect(bank.alerts).toEqual([]);
});

test.each(['an event', 'asking'] as const)(
  'a credited deposit that vanishes from its chain is taken back once, with an alert, by %s',
  async (way) => {
    const holder = await bank.customer();
    const id = await bank.arrive(holder, 'BTC', '0.25');
    const learn = async (): Promise<void> => {
      if (way === 'asking') return bank.poll();
      await bank.event(id);
      return bank.events();
    };
    await bank.blocks('BTC', 3);
    await learn();
    expect(await bank.held(holder, 'BTC')).toBe(25_000_000n);
    await bank.reorganise('BTC', 3, true);
    await learn();
    await learn();
    expect(await bank.deposits(holder)).toMatchObject([{ status: 'reversed', confirmations: 0 }]);
    expect(await bank.held(holder, 'BTC')).toBe(0n);
    expect(await bank.booked(id)).toEqual([['credit', 'reversal']]);
    expect(bank.alerts).toEqual(['crypto_deposit_reversed']);
  },
);

test('a deposit that a reorganisation takes back is credited again once when it comes back', async () => {
  const holder = await bank.customer();
  const id = await bank.arrive(holder, 'BTC', '0.75');
  await bank.blocks('BTC', 3);
  await bank.poll();
  await bank.reorganise('BTC', 3, false);
  await bank.poll();
  expect(await bank.deposits(holder)).toMatchObject([{ status: 'reversed' }]);
  expect(await bank.held(holder, 'BTC')).toBe(0n);
  await bank.blocks('BTC', 1);
  await bank.poll();
  expect(await bank.deposits(holder)).toMatchObject([{ status: 'pending', confirmations: 1 }]);
  await bank.blocks('BTC', 2);
  await bank.event(id);
  await Promise.all([bank.poll(), bank.events()]);
  await bank.poll();
  expect(await bank.deposits(holder)).toMatchObject([{ status: 'credited', confirmations: 3 }]);
  expect(await bank.held(holder, 'BTC')).toBe(75_000_000n);
  expect(await bank.booked(id)).toEqual([['credit', 'reversal', 'credit']]);
  expect(bank.alerts).toEqual(['crypto_deposit_reversed']);
});

test('after all of this the books are sound, and the custodian holds what they say', async () => {
  for (const asset of ['BTC', 'DOGE', 'SOL', 'XRP', 'USDC', 'USDT'] as const) await bank.blocks(asset, 32);
  await bank.poll();
  await expectCoinsProved(bank, ['BTC', 'DOGE', 'SOL', 'XRP', 'USDC', 'USDT']);
});
