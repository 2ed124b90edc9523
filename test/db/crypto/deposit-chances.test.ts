/**
 * Deposits by chance: events that are lost, doubled and late, in any order and at once, on chains that take transactions back, while
 * the money-laundering watch holds some and others come where nobody has an address. In the end customers have what the chains say,
 * and the bank what lies with the custodian, to the last digit. `DEPOSIT_RUNS` asks for more seeds.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  advanceDeposit,
  noteDeposit,
  releaseDeposit,
  type ToldDeposit,
} from '../../../db/queries/crypto/deposits.ts';
import { trialBalance } from '../../../db/ledger/trial-balance.ts';
import { CryptoDepositId, type UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { clearDeposits, ruleInForce } from '../../support/bank/watch.ts';
import { dice } from '../../support/dice.ts';
import { SEED } from '../../support/property.ts';
import { ownBank } from '../../support/stack/database.ts';
import { rows } from '../../support/stack/sql.ts';

const RUNS = Number(process.env['DEPOSIT_RUNS'] ?? 20);
const CUSTOMERS = 3;
const TRANSFERS = 8;
const STEPS = 120;
const AT_ONCE = 6;
/** A unit of the books, and the smallest deposit that is credited, in units of the chain. */
const UNIT = 10n ** 12n;
const LEAST = 1_000_000n * UNIT;

let books: Books;
let office: UserId;
let reviewer: UserId;
/** At which nobody has an address. */
const BANK = `v${randomUUID()}`;
const customers: { readonly id: UserId; readonly vault: string }[] = [];
beforeAll(async () => {
  books = openBooks(await ownBank());
  await books.asOwner(`update asset_networks set enabled = true, min_deposit = 1000000 where asset = 'USDT'`);
  for (let index = 0; index < CUSTOMERS; index += 1) {
    const [id, vault] = [await books.user(), `v${randomUUID()}`];
    await books.asOwner('insert into crypto_vaults (user_id, name, custody_vault) values ($1, $2, $3)', [
      ...[id, `u:${id}`, vault],
    ]);
    customers.push({ id, vault });
  }
  await books.asOwner('insert into crypto_vaults (name, custody_vault) values ($1, $1)', [BANK]);
  office = await books.admin(['crypto:write']);
  reviewer = await books.admin(['aml:review']);
  const large = { left: { field: 'amount' }, op: 'gte', right: { value: '3' } };
  await ruleInForce(books, 'crypto_deposit', large);
});
afterAll(() => books.close());

type Chance = (most: number) => number;

/** A transaction as the custodian knows it: all that it has been, and what it is now. */
interface Transfer {
  readonly owner: UserId;
  readonly units: bigint;
  readonly history: ToldDeposit[];
}

let clock = Date.parse('2026-03-01T10:00:00Z');

function arriving(chance: Chance): Transfer {
  const owner = customers[chance(CUSTOMERS)];
  if (owner === undefined) throw new Error('there are no customers');
  const { id } = owner;
  // the office finds out whose these are
  const vault = chance(4) === 0 ? BANK : owner.vault;
  const units =
    BigInt(1 + chance(3)) * LEAST * BigInt(chance(6) === 0 && vault !== BANK ? 0 : 1) +
    BigInt(1 + chance(1e9)) * 999_983n;
  const first: ToldDeposit = {
    ...{ custody_id: randomUUID(), status: 'moving', told: 'CONFIRMING', updated_at: now(), vault },
    ...{ asset: 'USDT', network: 'bnb', tx_hash: randomUUID(), output_index: chance(3), address: 'rAny' },
    ...{
      memo: null,
      source_address: null,
      chain_amount: units.toString(),
      confirmations: 0,
      block_hash: null,
    },
  };
  return { owner: id, units, history: [first] };
}

function now(): string {
  clock += 1_000;
  return new Date(clock).toISOString();
}

function last({ history }: Transfer): ToldDeposit {
  const [now] = history.slice(-1);
  if (now === undefined) throw new Error('a transaction without a history');
  return now;
}

/** The chain goes on: a block, the last one that is needed, a reorganisation, or a transaction that is dropped. */
function goesOn(transfer: Transfer, chance: Chance): void {
  const next = (change: Partial<ToldDeposit>): void => {
    transfer.history.push({ ...last(transfer), updated_at: now(), ...change });
  };
  const roll = chance(10);
  if (roll < 4) next({ status: 'moving', confirmations: chance(15) });
  else if (roll < 8) next({ status: 'completed', told: 'COMPLETED', confirmations: 15 + chance(5) });
  else next({ status: 'failed', told: 'FAILED', confirmations: 0 });
}

async function oneStep(transfers: readonly Transfer[], chance: Chance): Promise<void> {
  const transfer = transfers[chance(transfers.length)];
  if (transfer === undefined) return;
  const roll = chance(6);
  if (roll === 4) await clearDeposits(books, reviewer).catch(() => undefined);
  else if (roll === 5) await release(transfer);
  else if (roll === 0) goesOn(transfer, chance);
  else if (roll === 1)
    // an event of any age, or a copy of one
    await noteDeposit.one(books.em(), {
      told: transfer.history[chance(transfer.history.length)] ?? last(transfer),
    });
  else {
    const { deposit } = await noteDeposit.one(books.em(), { told: last(transfer) });
    if (deposit !== null) await advanceDeposit.one(books.em(), { told: last(transfer), clock: new Date() });
  }
}

/** Gives a deposit to whose it is, if it is nobody's, unless its chain or somebody else was quicker. */
async function release(transfer: Transfer): Promise<void> {
  const { deposit } = await noteDeposit.one(books.em(), { told: last(transfer) });
  if (deposit === null) return;
  const order = { deposit: CryptoDepositId.parse(deposit), customer: transfer.owner, by: office };
  await releaseDeposit.one(books.em(), { ...order, clock: new Date() });
}

async function total(where: string, parameters: readonly string[] = []): Promise<bigint> {
  const [found] = await rows<{ sum: string }>(
    books.em(),
    `select coalesce(sum(posted), 0) as sum from accounts where asset = 'USDT' and ${where}`,
    parameters,
  );
  return BigInt(found?.sum ?? 0);
}

/** What is with the custodian since the first run, in units of the chain. */
let atCustodian = 0n;
const owned = new Map<UserId, bigint>();

test.each(Array.from({ length: RUNS }, (_, run) => SEED + run))('seed %i', async (seed) => {
  const chance = dice(seed);
  const transfers = Array.from({ length: TRANSFERS }, () => arriving(chance));
  for (let step = 0; step < STEPS; step += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => oneStep(transfers, chance)));
  // what was lost is found by asking
  for (const transfer of transfers) {
    const { deposit } = await noteDeposit.one(books.em(), { told: last(transfer) });
    if (deposit === null) continue;
    // what comes back is judged again, before and after somebody has said whose it is
    for (let times = 0; times < 3; times += 1) {
      await advanceDeposit.one(books.em(), { told: last(transfer), clock: new Date() });
      await release(transfer);
      await clearDeposits(books, reviewer);
    }
    await advanceDeposit.one(books.em(), { told: last(transfer), clock: new Date() });
    if (last(transfer).status !== 'completed') continue;
    atCustodian += transfer.units;
    if (transfer.units >= LEAST)
      owned.set(transfer.owner, (owned.get(transfer.owner) ?? 0n) + transfer.units / UNIT);
  }
  for (const { id } of customers)
    expect(await total(`kind = 'coin' and owner_id = $1`, [id])).toBe(owned.get(id) ?? 0n);
  const [found] = await rows<{ remainder: string }>(
    books.em(),
    `select remainder from asset_networks where (asset, network) = ('USDT', 'bnb')`,
  );
  const custody = -(await total(`role = 'custody'`));
  expect(custody * UNIT + BigInt(found?.remainder ?? 0)).toBe(atCustodian);
  expect(custody).toBe((await total(`kind = 'coin'`)) + (await total(`role = 'dust'`)));
  expect(await total(`role = 'suspense'`)).toBe(0n);
});

test('the books balance after all of it', async () => {
  expect(await trialBalance(books.em())).toMatchObject({ sound: true });
});
