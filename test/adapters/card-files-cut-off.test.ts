/** Whoever takes a file of the card network is cut off before each of its awaits: the file is booked and settled once all the same. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { createStorage, type Storage } from '../../adapters/storage.ts';
import { loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { createCardVault } from '../../adapters/card-vault.ts';
import { ClearingWish, createClearing, SettlementWish } from '../../dev/cards/clearing.ts';
import { withCheckDigit } from '../../domain/cards/cards.ts';
import { collectCardFiles } from '../../services/cards/files.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { bookedCard, newMessage, newPaymentId, sumsOf, takeMessage } from '../support/bank/card-books.ts';
import { brokenChecks } from '../support/bank/proof.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { cutOffAtDatabase, endsHere, type Cut } from '../support/stack/cut-off.ts';
import { ownBank } from '../support/stack/database.ts';
import { until } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

/** More than it has, so that the last ones come to their end. */
const AWAITS = 40;
const FUNDS = 100_000;

const running = new AsyncLocalStorage<Cut>();
const stood = new Set<Cut>();
cutOffAtDatabase(
  () => running.getStore(),
  (cut) => void stood.add(cut),
);

/** A store whose calls are awaits, too. */
function cutStorage(storage: Storage): Pick<Storage, 'put' | 'list' | 'content' | 'remove'> {
  const alive = async <T>(act: () => Promise<T>): Promise<T> => {
    const cut = running.getStore();
    return cut !== undefined && endsHere(cut, () => void stood.add(cut))
      ? new Promise(() => undefined)
      : act();
  };
  return {
    put: (...call) => alive(() => storage.put(...call)),
    list: (...call) => alive(() => storage.list(...call)),
    content: (...call) => alive(() => storage.content(...call)),
    remove: (...call) => alive(() => storage.remove(...call)),
  };
}

const config = { ...loadConfig(stack.serviceEnv), CARD_FOLDER: `cut-${randomUUID()}` };
const storage = createStorage(config);
const vault = createCardVault(config.CARD_KEYS);
const log = pino({ level: 'silent' });

let books: Books;
/** What is cut off keeps its place in this pool. */
let doomed: MikroORM;
beforeAll(async () => {
  const database = await ownBank();
  books = openBooks(database);
  doomed = openOrm({ DATABASE_URL: database.url, DATABASE_POOL_MAX: AWAITS * 4 }, PATIENCE_MS);
});
afterAll(async () => {
  // it would wait for those that were cut off
  void doomed.close();
  await books.close();
});

/** Takes what lies there, up to the await of this number. Answers whether it was cut off. */
async function collect(at: number): Promise<boolean> {
  const cut: Cut = { at, waited: 0 };
  const deps = { config, storage: cutStorage(storage), vault, em: () => doomed.em.fork(), log };
  let isOver = false;
  void running.run(cut, () => collectCardFiles(deps)).then(() => (isOver = true));
  await until(() => isOver || stood.has(cut));
  return stood.has(cut);
}

test('cut off at every await, a file is booked and settled once', async () => {
  const clearing = createClearing(storage, config.CARD_FOLDER);
  const cutOff: boolean[] = [];
  for (let at = 1; at <= AWAITS; at += 1) {
    const pan = withCheckDigit(880_000_000_000_000n + BigInt(at));
    const card = await bookedCard(books, BigInt(FUNDS), undefined, vault.indexes(pan)[0]);
    const payment_id = newPaymentId();
    await takeMessage(books, card, {
      ...newMessage('0100', 'purchase', 'first', 4_000),
      payment: payment_id,
    });
    const interchange = { amount: '0.07', currency: 'EUR' };
    const records = [
      { pan, payment_id, billing: { amount: '40.00', currency: 'EUR' }, interchange },
      { pan, billing: { amount: '5.00', currency: 'EUR' }, interchange },
      { pan, payment_id, kind: 'refund', billing: { amount: '10.00', currency: 'EUR' } },
    ];
    const { file_id } = await clearing.clear(ClearingWish.parse({ records }));
    await clearing.settle(SettlementWish.parse({ clearing_files: [file_id] }));
    cutOff.push(await collect(at));
    // whoever comes next
    const deps = { config, storage, vault, em: () => books.em(), log };
    await until(async () => (await collectCardFiles(deps)) === 0 && (await isSettled(file_id)));
    expect(await books.balance(card.account)).toEqual({ posted: BigInt(FUNDS - 3_500), held: 0n });
    expect(await sumsOf(books, payment_id)).toMatchObject({ cleared: 4_000, refunded: 1_000, held: 0 });
    expect(await inClearing()).toBe(0);
  }
  expect(cutOff.filter(Boolean).length).toBeGreaterThan(20);
  expect(cutOff.at(-1)).toBe(false);
  expect(await storage.list(`${config.CARD_FOLDER}/in/`, 10)).toEqual([]);
  expect(await storage.list(`${config.CARD_FOLDER}/refused/`, 10)).toEqual([]);
  expect(await brokenChecks(books.em())).toEqual([]);
});

async function isSettled(file: string): Promise<boolean> {
  const rows = await books.asOwner(
    `select from card_files f join card_files s on s.id = f.settled_by where f.network_id = $1 and s.settled_at is not null`,
    [file],
  );
  return rows.length === 1;
}

async function inClearing(): Promise<unknown> {
  const sum = `select sum(posted)::int as sum from accounts where role = 'card_clearing'`;
  return (await books.asOwner(sum))[0]?.['sum'];
}
