/** Proof of reserves in the database: what is counted, since when it is wrong, and when somebody is told. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { noteDeposit } from '../../../db/queries/crypto/deposits.ts';
import {
  beginReserves,
  countReserves,
  reserveFaults,
  reservesAfter,
  type ToldHolding,
} from '../../../db/queries/crypto/reserves.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { receiveCoins } from '../../support/bank/coins.ts';
import { arrived, vaultOf } from '../../support/custodian/told.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
  await books.asOwner(`update asset_networks set min_deposit = 0`);
});
afterAll(() => books.close());

const holds = (asset: string, total: string): ToldHolding => ({
  ...{ asset, total, available: total, pending: '0', frozen: '0', locked: '0' },
});
const count = (...told: ToldHolding[]) => countReserves.all(books.em(), { told, asked: new Date() });
async function counted(asset: string) {
  const all = await reservesAfter.all(books.em(), { after: '', most: 50 });
  const found = all.find((one) => one.asset === asset);
  if (found === undefined) throw new Error(`${asset} was not counted`);
  return found;
}
/** As if so much time had passed since the last count. */
const wait = (minutes: number) =>
  books.asOwner(
    `update crypto_reserves set counted_at = counted_at - make_interval(mins => $1),
       differs_since = differs_since - make_interval(mins => $1), short_since = short_since - make_interval(mins => $1)`,
    [minutes],
  );

test('customers, house and custodian are added up, each coin by itself, and unknown names are left out', async () => {
  const names = await books.asOwner(
    `select custody_asset as name from asset_networks where asset = 'USDT' order by network`,
  );
  const [one, other] = [await books.user(), await books.user()];
  await receiveCoins(books, one, 'BTC', 1_500_000n);
  await receiveCoins(books, other, 'BTC', 500_000n);
  const [first = '', second = ''] = names.map(({ name }) => String(name));
  await count(
    ...[holds('BTC_TEST', '0.01'), holds('BTC_TEST', '0.01')],
    ...[holds(first, '1.000000000000000001'), holds(second, '2'), holds('SOMETHING', '9')],
  );
  expect(await counted('BTC')).toMatchObject({
    ...{ owed: '0.02', overdrawn: '0', house: {}, inFlight: '0', remainder: '0', custodian: '0.02' },
    ...{ difference: '0', shortfall: '0', differsSince: null, shortSince: null },
    networks: [{ network: 'bitcoin', total: '0.02', available: '0.02' }],
  });
  const tether = await counted('USDT');
  expect(tether).toMatchObject({ owed: '0', difference: '3.000000000000000001', shortfall: '0' });
  expect(tether.differsSince).toEqual(tether.countedAt);
  expect(tether.networks).toHaveLength(names.length);
});

test('what is on its way, what customers owe and what lies in suspense are told apart', async () => {
  const customer = await books.user();
  await receiveCoins(books, customer, 'SOL', 2_000_000_000n);
  await noteDeposit.one(books.em(), {
    told: arrived(await vaultOf(books, customer), {
      ...{ asset: 'SOL', network: 'solana', status: 'moving', chain_amount: '500000000' },
    }),
  });
  await noteDeposit.one(books.em(), {
    told: arrived(await vaultOf(books, customer), {
      ...{ asset: 'SOL', network: 'solana', status: 'failed', chain_amount: '700000000' },
    }),
  });
  await count(holds('SOL_TEST', '2.5'));
  expect(await counted('SOL')).toMatchObject({
    ...{ owed: '2', inFlight: '0.5', custodian: '2.5', difference: '0', shortfall: '0' },
  });
  // what has only just arrived does not cover what is owed
  await count(holds('SOL_TEST', '2.1'));
  expect(await counted('SOL')).toMatchObject({ difference: '-0.4', shortfall: '0.4' });
});

test('somebody is told once when it has been wrong for fifteen minutes, and again only after it was right', async () => {
  const customer = await books.user();
  await receiveCoins(books, customer, 'XRP', 3_000_000n);
  const told = async (amount: string) =>
    (await count(holds('XRP_TEST', amount))).filter(({ asset }) => asset === 'XRP');
  expect(await told('1')).toEqual([]);
  const { differsSince } = await counted('XRP');
  await wait(14);
  expect(await told('2')).toEqual([]);
  expect((await counted('XRP')).differsSince?.getTime()).toBe((differsSince?.getTime() ?? 0) - 14 * 60_000);
  await wait(1);
  const faults = [
    { asset: 'XRP', fault: 'differ' },
    { asset: 'XRP', fault: 'short' },
  ];
  expect(await told('1')).toEqual(faults);
  const standing = await reserveFaults.all(books.em());
  const xrp = standing.find(({ asset }) => asset === 'XRP');
  expect(xrp?.differs).toBeGreaterThanOrEqual(900);
  expect(xrp?.short).toBeGreaterThanOrEqual(900);
  expect(standing.find(({ asset }) => asset === 'BTC')?.age).toBeLessThan(60);
  expect(await told('1')).toEqual([]);
  await wait(60);
  expect(await told('1')).toEqual([]);
  expect(await told('3')).toEqual([]);
  expect(await counted('XRP')).toMatchObject({ differsSince: null, shortSince: null });
  // more than the books say is wrong too, but nobody is short
  expect(await told('4')).toEqual([]);
  await wait(16);
  expect(await told('4')).toEqual([{ asset: 'XRP', fault: 'differ' }]);
});

test('of several workers one counts, and nobody before its time', async () => {
  const begin = () => beginReserves.one(books.em(), { seconds: 60 });
  const turns = await Promise.all([begin(), begin(), begin(), begin()]);
  expect(turns.filter(({ isDue }) => isDue)).toHaveLength(1);
  expect(await begin()).toEqual({ isDue: false });
  await books.asOwner(`update custody_poll set counted_at = counted_at - interval '61 seconds'`);
  expect(await begin()).toEqual({ isDue: true });
});

test('counting at once is counting one after another', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => count(holds('BTC_TEST', '0.02'))));
  expect(all.flat().filter(({ asset }) => asset === 'BTC')).toEqual([]);
  expect(await counted('BTC')).toMatchObject({ difference: '0' });
});
