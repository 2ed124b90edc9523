/** What time does to cards: they are sent, followed by another one in time, and closed after their last day. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createCardVault } from '../../adapters/card-vault.ts';
import { createCipher } from '../../adapters/cipher.ts';
import { cardOf } from '../../db/queries/cards/cards.ts';
import { overdueCards } from '../../db/queries/cards/life.ts';
import { transaction } from '../../db/transaction.ts';
import { loadConfig } from '../../config.ts';
import { CardId } from '../../domain/ids.ts';
import { carryCardOn } from '../../services/cards/life.ts';
import { cardRecovery } from '../../services/cards/recovery.ts';
import { openBank, type Bank, type Person } from '../support/bank/bank.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { SHARED } from '../support/stack/database.ts';
import { approved, call, euro } from '../support/bank/accounts.ts';
import { CardAnswer, cardPlan, newCard, shipping } from '../support/bank/cards.ts';
import { until } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

let bank: Bank;
let books: Books;
let holder: Person;
let productId: string;
const config = loadConfig(stack.serviceEnv);
const needs = { cipher: createCipher(config.ENCRYPTION_KEYS), vault: createCardVault(config.CARD_KEYS) };
beforeAll(async () => {
  // the shared bank: cards are ordered and changed by its API
  [bank, books] = [openBank(), openBooks(SHARED)];
  holder = await bank.customer();
  ({ productId } = await cardPlan(bank));
  const office = await bank.admin('fees:write');
  const rule = { code: 'replaced_cards', purpose: 'card_replacement', currency: 'EUR', description: 'Fee' };
  const terms = { card_product_id: productId, flat: euro('7.50') };
  const made = await approved(bank, office, 'POST', '/v1/admin/fee-rules', { ...rule, ...terms });
  expect(made).toMatchObject({ status: 201 });
});
afterAll(() => Promise.all([bank.close(), books.close()]));

/** A card that was issued a year ago and has so many days left. Negative: its last day is over. */
async function agedCard(days: number, terms: object = {}): Promise<CardId> {
  const card = await newCard(bank, holder, productId);
  const id = CardId.parse(randomUUID());
  const columns = { status: 'active', blocked_by: null, closed_reason: null, ...terms };
  await books.asOwner(
    `insert into cards (id, owner_id, account_id, product_id, product_version, kind, status, blocked_by, last_four, expires_on,
                        issued_by, created_at, activated_at)
     select $1, owner_id, account_id, product_id, product_version, kind, $3, $4, last_four, bank_day(bank_now()) + $5::integer,
            issued_by, bank_now() - interval '1 year', case when $3 <> 'inactive' then bank_now() end
       from cards where id = $2`,
    [id, card.id, columns.status, columns.blocked_by, days],
  );
  return id;
}

const carryOn = (id: CardId) => transaction(books.em(), (tx) => carryCardOn(tx, id, needs));
const row = (id: CardId) => cardOf.one(books.em(), { id, owner: null });
const overdue = async (id: CardId): Promise<boolean> => {
  const found = await overdueCards.all(books.em(), { lateSeconds: 0, most: 10_000, after: null });
  return found.some((one) => one.id === id);
};
test('a card that has long to go is left alone', async () => {
  const id = await agedCard(400);
  const step = await carryOn(id);
  expect(step).toMatchObject({ status: 'active', renewedBy: null });
  expect(step.lookAgainInSeconds).toBeGreaterThan(300 * 86_400);
  expect(await overdue(id)).toBe(false);
});

test('sixty days before its last day another one follows, once, and the old one goes on', async () => {
  const id = await agedCard(50);
  expect(await overdue(id)).toBe(true);
  const [first, again] = [await carryOn(id), await carryOn(id)];
  expect(first).toMatchObject({ status: 'active' });
  expect(first.renewedBy).not.toBeNull();
  expect(again.renewedBy).toBe(first.renewedBy);
  const next = await row(CardId.parse(first.renewedBy));
  expect(next).toMatchObject({ status: 'active', replaces: id, accountId: (await row(id)).accountId });
  expect(await overdue(id)).toBe(false);
  // only one that was lost or damaged costs something
  expect(await books.asOwner('select id from account_fees where card_id = $1', [next.id])).toEqual([]);
  const started = await books.asOwner(
    `select actor_role from audit_log where subject_id = $1 and action = 'card.issued'`,
    [next.id],
  );
  expect(started).toEqual([{ actor_role: 'system' }]);
  expect(await cardRecovery.orderOf(books.em(), next.id)).toEqual({ id: next.id, customerId: holder.id });
});

test('five workers at once renew a card once', async () => {
  const id = await agedCard(50);
  const steps = await Promise.all(Array.from({ length: 5 }, () => carryOn(id)));
  expect(new Set(steps.map(({ renewedBy }) => renewedBy)).size).toBe(1);
});

test.each([
  ['that the bank has blocked', { status: 'blocked', blocked_by: 'bank' }],
  ['that was never activated', { status: 'inactive' }],
])('a card %s is not renewed', async (_what, terms) => {
  const id = await agedCard(50, terms);
  expect(await carryOn(id)).toMatchObject({ renewedBy: null });
});

test('a card of a blocked account is tried again the next day', async () => {
  const id = await agedCard(50);
  const { accountId } = await row(id);
  await books.asOwner(`update accounts set status = 'blocked' where id = $1`, [accountId]);
  const step = await carryOn(id);
  expect(step).toMatchObject({ renewedBy: null });
  expect(step.lookAgainInSeconds).toBeLessThanOrEqual(86_400);
  await books.asOwner(`update accounts set status = 'open' where id = $1`, [accountId]);
  expect((await carryOn(id)).renewedBy).not.toBeNull();
});

test('a card works on its last day and is closed after it', async () => {
  const [last, over] = [await agedCard(0), await agedCard(-1, { status: 'blocked', blocked_by: 'bank' })];
  expect(await carryOn(last)).toMatchObject({ status: 'active' });
  expect(await overdue(over)).toBe(true);
  expect(await carryOn(over)).toEqual({ status: 'closed', renewedBy: null, lookAgainInSeconds: 0 });
  expect(await row(over)).toMatchObject({ status: 'closed', closedReason: 'expired', blockedBy: null });
  expect(await carryOn(over)).toMatchObject({ status: 'closed' });
  expect(await cardRecovery.orderOf(books.em(), over)).toBeUndefined();
  const entries = await books.asOwner(
    `select 1 from audit_log where subject_id = $1 and action = 'card.expired'`,
    [over],
  );
  expect(entries).toHaveLength(1);
});

test('a card that its holder closes at the same moment has not expired', async () => {
  const id = await agedCard(400);
  const holding = new pg.Client(stack.ownerUrl);
  await holding.connect();
  try {
    const { rows } = await holding.query<{ pid: number }>('select pg_backend_pid() as pid');
    await holding.query('begin');
    await holding.query(
      `update cards set status = 'closed', closed_reason = 'customer', closed_at = bank_now() where id = $1`,
      [id],
    );
    const carriedOn = carryOn(id);
    const waiting = 'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))';
    await until(async () => (await books.asOwner(waiting, [rows[0]?.pid])).length > 0);
    await holding.query('commit');
    expect(await carriedOn).toMatchObject({ status: 'closed' });
  } finally {
    await holding.end();
  }
  const written = `select from audit_log where subject_id = $1 and action = 'card.expired'`;
  expect(await books.asOwner(written, [id])).toEqual([]);
});

test('an unknown card has no life', async () => {
  expect(await carryOn(CardId.parse(randomUUID()))).toMatchObject({ status: 'closed' });
});

test('a lost card that was renewed already is only closed, and a renewed one that is lost too is replaced', async () => {
  const id = await agedCard(50);
  const { renewedBy } = await carryOn(id);
  const replace = async (lost: string) =>
    (
      await call(
        holder,
        'POST',
        `/v1/cards/${lost}/replace`,
        { reason: 'lost' },
        {
          stepUp: await holder.stepUp('replaceCard'),
        },
      )
    ).as(CardAnswer);
  expect(await replace(id)).toMatchObject({ id: renewedBy, status: 'active' });
  const third = await replace(CardId.parse(renewedBy));
  expect(third).toMatchObject({ replaces: renewedBy, status: 'active' });
});

test('a plastic card is sent, and its process hears that it was activated', async () => {
  const { productId: plastic } = await cardPlan(bank, { kind: 'physical' });
  const card = await newCard(bank, holder, plastic, { shipping_address: shipping });
  const id = CardId.parse(card.id);
  await carryOn(id);
  expect(await row(id)).toMatchObject({ status: 'inactive' });
  expect((await row(id)).shippedAt).not.toBeNull();
  await books.asOwner(`delete from process_updates where workflow_id = $1`, [`card/${id}`]);
  await transaction(books.em(), async (tx) => {
    await tx.execute(`select card_move('${id}', 'activate', '${holder.id}', null)`);
    expect(
      await tx.execute(`select update_id from process_updates where workflow_id = 'card/${id}'`),
    ).toEqual([{ update_id: 'active' }]);
  });
});
