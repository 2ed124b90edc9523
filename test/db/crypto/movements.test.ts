/** What moves at the custodian for the bank itself: booked once it is final, by the newest of what was told, and taken back if the chain has. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { noteMovement, type ToldMovement } from '../../../db/queries/crypto/movements.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { coinFigures } from '../../support/bank/coin-figures.ts';
import { brokenChecks } from '../../support/bank/proof.ts';
import { ownBank } from '../../support/stack/database.ts';
import { rows } from '../../support/stack/sql.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

const UNIT = 10n ** 12n;
const START = Date.parse('2026-03-01T10:00:00Z');
const at = (step: number): string => new Date(START + step * 1_000).toISOString();
const gas = (more: Partial<ToldMovement> = {}): ToldMovement => ({
  ...{
    custody_id: randomUUID(),
    part: 'in',
    vault: '17',
    role: 'network_fees',
    status: 'completed',
    updated_at: at(10),
  },
  ...{ asset: 'ETH', network: 'ethereum', chain_amount: '3900000000000000' },
  ...more,
});
const note = (told: ToldMovement) => noteMovement.run(books.em(), { told, clock: new Date() });
async function booked(custodyId: string): Promise<string[]> {
  const found = await rows<{ chain_amount: string }>(
    books.em(),
    `select b.chain_amount from custody_movement_bookings b join custody_movements m on m.id = b.movement_id
      where m.custody_id = $1 order by b.id`,
    [custodyId],
  );
  return found.map(({ chain_amount: amount }) => String(amount));
}
const { house, remainder } = coinFigures(() => books.em());

test('gas is booked once however often and by however many it is noted, and by the newest of what was told', async () => {
  const before = await house('network_fees', 'ETH');
  const done = gas();
  const id = done.custody_id;
  await note({ ...done, status: 'moving', updated_at: at(1) });
  expect(await booked(id)).toEqual([]);
  await Promise.all(Array.from({ length: 6 }, () => note(done)));
  // what is older, or no news of the same moment, changes nothing
  await note({ ...done, status: 'failed', chain_amount: '0', updated_at: at(9) });
  await note({ ...done, status: 'moving', chain_amount: '1' });
  expect(await booked(id)).toEqual(['3900000000000000']);
  expect((await house('network_fees', 'ETH')) - before).toBe(3_900_000_000_000_000n);
  expect(await house('custody', 'ETH')).toBe(-(await house('network_fees', 'ETH')));
});

test('a chain that takes it back and brings it again has its entries, and a fee may turn out otherwise', async () => {
  const told = gas({ part: 'fee', chain_amount: '-500' });
  const id = told.custody_id;
  await note(told);
  await note({ ...told, status: 'moving', updated_at: at(11) });
  await note({ ...told, updated_at: at(12) });
  await note({ ...told, chain_amount: '-700', updated_at: at(13) });
  await note({ ...told, status: 'failed', chain_amount: '0', updated_at: at(14) });
  expect(await booked(id)).toEqual(['-500', '500', '-500', '-200', '700']);
});

test('what moves nothing leaves no row', async () => {
  const told = gas({ status: 'failed', chain_amount: '0' });
  await note(told);
  expect(
    await rows(books.em(), 'select 1 from custody_movements where custody_id = $1', [told.custody_id]),
  ).toEqual([]);
});

test('of a token with more digits on its chain than in the books, the rest is added up', async () => {
  const coins = (chainAmount: bigint) =>
    gas({
      ...{ role: 'crypto_position', asset: 'USDT', network: 'bnb', chain_amount: chainAmount.toString() },
    });
  const parts = [coins(UNIT / 2n), coins(5n * UNIT + UNIT / 2n), coins(-UNIT / 4n)];
  for (const told of parts) await note(told);
  expect(await house('crypto_position', 'USDT')).toBe(5n);
  expect(await remainder()).toBe((3n * UNIT) / 4n);
  const bookings = await rows<{ has: boolean }>(
    books.em(),
    `select b.transaction_id is not null as has from custody_movement_bookings b
       join custody_movements m on m.id = b.movement_id where m.asset = 'USDT' order by b.id`,
  );
  expect(bookings.map(({ has }) => has)).toEqual([false, true, true]);
});

test('what a movement is never changes, and what was booked of it stays', async () => {
  const told = gas();
  await note(told);
  const denied = { code: '23001' };
  for (const statement of [
    `update custody_movements set vault = '18'`,
    `update custody_movements set role = 'crypto_position'`,
    'delete from custody_movements',
    'delete from custody_movement_bookings',
    `update custody_movement_bookings set chain_amount = 1`,
  ])
    await expect(books.asOwner(statement)).rejects.toMatchObject(denied);
  await expect(books.asOwner('update custody_movements set booked = 0')).rejects.toMatchObject({
    code: '23514',
  });
});

test('the books are sound after all this', async () => {
  expect(await brokenChecks(books.em())).toEqual([]);
});
