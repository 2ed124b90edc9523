/** After a chain has taken back what was credited, no customer's coins of that kind go out until administrators have looked. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { advanceDeposit, type ToldDeposit } from '../../../db/queries/crypto/deposits.ts';
import { setCoin } from '../../../db/queries/crypto/setup.ts';
import { AccountId, type UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { receiveCoins } from '../../support/bank/coins.ts';
import { post } from '../../support/bank/posting.ts';
import { arrived, dropped, vaultOf } from '../../support/custodian/told.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

const advance = (told: ToldDeposit) => advanceDeposit.one(books.em(), { told, clock: new Date() });

/** Moves coins between a customer's account and one of the house. */
async function move(customer: UserId, asset: string, amount: bigint): Promise<string | undefined> {
  const accounts = await books.asOwner(
    `select a.id, house_account('crypto_position', a.asset, a.id) as house from accounts a
      where a.owner_id = $1 and a.asset = $2 and a.kind = 'coin'`,
    [customer, asset],
  );
  const [id, house] = [AccountId.parse(accounts[0]?.['id']), AccountId.parse(accounts[0]?.['house'])];
  const [verdict] = await post(books.ownerEm(), [
    {
      ...{ id: randomUUID(), kind: 'test', sourceType: 'test', sourceId: randomUUID() },
      entries: [
        { account: id, asset, amount },
        { account: house, asset, amount: -amount },
      ],
    },
  ]);
  return verdict;
}

test('a reversal after the credit stops debits of that coin and of no other, and what comes in still comes in', async () => {
  const [one, other] = [await books.user(), await books.user()];
  const deposit = arrived(await vaultOf(books, one));
  await advance(deposit);
  await receiveCoins(books, other, 'BTC', 2_000_000n);
  await receiveCoins(books, other, 'SOL', 2_000_000_000n);
  expect(await move(other, 'BTC', -1n)).toBe('posted');

  expect(await advance(dropped(deposit))).toMatchObject({ state: 'reversed', changed: true });
  expect(await move(other, 'BTC', -1n)).toBe('debits_stopped');
  expect(await move(other, 'BTC', 1n)).toBe('posted');
  expect(await move(other, 'SOL', -1n)).toBe('posted');
  // what has happened is booked all the same
  const late = arrived(await vaultOf(books, other));
  expect(await advance(late)).toMatchObject({ state: 'credited' });
  expect(await advance(dropped(late))).toMatchObject({ state: 'reversed' });

  const admin = await books.admin(['crypto:write']);
  await setCoin.one(books.em(), { code: 'BTC', by: admin, change: { debits_stopped: false } });
  expect(await move(other, 'BTC', -1n)).toBe('posted');
});

test('a deposit that vanishes before its credit, and one of the bank, stop nothing', async () => {
  const deposit = arrived(await vaultOf(books, await books.user()), {
    ...{ asset: 'XRP', network: 'ripple', status: 'moving', confirmations: 0 },
  });
  await advance(deposit);
  expect(await advance(dropped(deposit))).toMatchObject({ state: 'reversed' });
  const small = arrived(await vaultOf(books, await books.user()), {
    ...{ asset: 'XRP', network: 'ripple', chain_amount: '1' },
  });
  expect(await advance(small)).toMatchObject({ state: 'below_minimum' });
  expect(await advance(dropped(small))).toMatchObject({ state: 'reversed' });
  expect(await books.asOwner(`select asset from crypto_assets where debits_stopped`)).toEqual([]);
});
