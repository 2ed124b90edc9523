/** What the process of a dispute does: reminds of deadlines, and leaves the claim for the network in the store. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createCipher } from '../../adapters/cipher.ts';
import { createStorage, type Storage } from '../../adapters/storage.ts';
import { loadConfig, type Config } from '../../config.ts';
import { disputeOf, settleDispute, withdrawDispute } from '../../db/queries/cards/disputes.ts';
import { transaction } from '../../db/transaction.ts';
import type { CardDisputeId, UserId } from '../../domain/ids.ts';
import { machineNow } from '../../domain/time/now.ts';
import { carryDisputeOn, claimKey, tellNetworkOfDispute } from '../../services/cards/dispute-life.ts';
import { disputeRecovery } from '../../services/cards/dispute-recovery.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { decideAs, openDisputeOf, paid, refund } from '../support/bank/dispute-books.ts';
import { ownBank } from '../support/stack/database.ts';
import { stack } from '../support/stack/stack.ts';

let books: Books;
let config: Config;
let storage: Storage;
let office: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  config = loadConfig(stack.serviceEnv);
  storage = createStorage(config);
  office = await books.admin(['cards:write']);
});
afterAll(() => books.close());

const carryOn = (id: CardDisputeId) =>
  transaction(books.em(), (tx) => carryDisputeOn(tx, id, { cipher: createCipher(config.ENCRYPTION_KEYS) }));
const tellNetwork = (id: CardDisputeId) => tellNetworkOfDispute(books.em(), id, { storage, config });
async function claimOf(id: CardDisputeId): Promise<unknown> {
  const content = await storage.content(claimKey(config, id), 10_000);
  return content instanceof Buffer ? JSON.parse(content.toString()) : content;
}
const remindedOf = async (person: UserId): Promise<number> =>
  (await books.asOwner(`select from events where user_id = $1 and type = 'card_dispute_due'`, [person]))
    .length;
const overdue = async (): Promise<readonly string[]> =>
  (await disputeRecovery.overdue(books.em(), { lateSeconds: 60, most: 100, after: null })).map(
    ({ id }) => id,
  );
const age = (id: CardDisputeId, what: string) =>
  books.asOwner(`update card_disputes set ${what} = ${what} - interval '1 year' where id = $1`, [id]);

test('whoever decides is reminded once of each deadline, and nobody of their own dispute', async () => {
  const of = await paid(books);
  const { id } = await openDisputeOf(books, of);
  await books.admin(['cards:write'], of.owner);
  const reader = await books.admin(['cards:read']);
  await carryOn(id);
  expect(await remindedOf(office)).toBe(0);
  await age(id, 'due_at');
  expect(await overdue()).toContain(id);
  expect(await carryOn(id)).toMatchObject({ status: 'in_review', isOverdue: true });
  await carryOn(id);
  expect(await Promise.all([office, of.owner, reader].map(remindedOf))).toEqual([1, 0, 0]);
  await decideAs(books, office, id, 'accept');
  await age(id, 'due_at');
  await carryOn(id);
  expect(await remindedOf(office)).toBe(2);
});

test('the network finds a claim without anything personal, and later that there is none any more', async () => {
  const of = await paid(books);
  const { id } = await openDisputeOf(books, of);
  await tellNetwork(id);
  expect(await claimOf(id)).toBeNull();
  await decideAs(books, office, id, 'accept');
  expect(await carryOn(id)).toMatchObject({ status: 'filed', isUntold: true });
  await tellNetwork(id);
  const claim = { dispute_id: id, payment_id: of.network, reason: 'not_received' };
  const amount = { amount: '40.00', currency: 'EUR' };
  expect(await claimOf(id)).toEqual({ ...claim, status: 'filed', amount });
  expect(await carryOn(id)).toMatchObject({ isUntold: false });

  await withdrawDispute.one(books.em(), { id, owner: of.owner, clock: machineNow() });
  expect(await disputeRecovery.orderOf(books.em(), id)).toEqual({ id, customerId: of.owner });
  expect(await carryOn(id)).toMatchObject({ status: 'withdrawn', isUntold: true });
  await tellNetwork(id);
  await tellNetwork(id);
  expect(await claimOf(id)).toEqual({
    ...{ ...claim, status: 'retracted' },
    amount: { amount: '0.00', currency: 'EUR' },
  });
  expect(await disputeRecovery.orderOf(books.em(), id)).toBeUndefined();
  expect(await carryOn(id)).toMatchObject({ isUntold: false, lookAgainInSeconds: 0 });
});

test('a part that the merchant gives back is claimed no more', async () => {
  const of = await paid(books);
  const { id } = await openDisputeOf(books, of);
  await decideAs(books, office, id, 'accept');
  await tellNetwork(id);
  await refund(books, of, 1_000);
  expect(await carryOn(id)).toMatchObject({ status: 'filed', isUntold: true });
  await tellNetwork(id);
  expect(await claimOf(id)).toMatchObject({ status: 'filed', amount: { amount: '30.00', currency: 'EUR' } });
  expect(await carryOn(id)).toMatchObject({ isUntold: false });
});

test('a claim that may have been written is retracted, also if that was never noted', async () => {
  const of = await paid(books);
  const { id } = await openDisputeOf(books, of);
  await decideAs(books, office, id, 'accept');
  await refund(books, of, 4_000);
  expect(await carryOn(id)).toMatchObject({ status: 'refunded', isUntold: true, lookAgainInSeconds: 0 });
  await tellNetwork(id);
  expect(await claimOf(id)).toMatchObject({ status: 'retracted', amount: { amount: '0.00' } });
  expect(await carryOn(id)).toMatchObject({ isUntold: false });
});

test('the watch finds disputes of which the network has not heard, and none that have ended', async () => {
  const { id } = await openDisputeOf(books, await paid(books));
  await decideAs(books, office, id, 'accept');
  expect(await overdue()).not.toContain(id);
  await age(id, 'updated_at');
  expect(await overdue()).toContain(id);
  expect((await disputeOf.one(books.em(), { id, owner: null })).isUntold).toBe(true);
  await settleDispute.one(books.em(), { id, outcome: 'won', clock: machineNow() });
  expect(await overdue()).not.toContain(id);
});
