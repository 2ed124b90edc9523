/**
 * Deposits from addresses on sanctions lists: held before they are credited, whoever commits first, and found again when a list names an
 * address that coins have come from before.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  advanceDeposit,
  depositsCleared,
  noteDeposit,
  type ToldDeposit,
} from '../../../db/queries/crypto/deposits.ts';
import { screenSources, screeningState } from '../../../db/queries/aml/parties.ts';
import { transaction } from '../../../db/transaction.ts';
import { AmlFlagId, CryptoDepositId, type UserId } from '../../../domain/ids.ts';
import { loadList } from '../../../services/aml/load-list.ts';
import { screeningRound } from '../../../services/aml/screening-rounds.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { coinFigures } from '../../support/bank/coin-figures.ts';
import { brokenChecks } from '../../support/bank/proof.ts';
import { ruleInForce } from '../../support/bank/watch.ts';
import { arrived, vaultOf } from '../../support/custodian/told.ts';
import { until } from '../../support/stack/processes.ts';
import { ownBank } from '../../support/stack/database.ts';
import { rows } from '../../support/stack/sql.ts';

let books: Books;
let folder: string;
let reviewers: readonly UserId[];
/** Lines of the bank's own list; enough of them that one may go. */
const lines = Array.from({ length: 20 }, (_, at) => `F${at},person,Askel Filler ${at},`);
beforeAll(async () => {
  books = openBooks(await ownBank());
  folder = mkdtempSync(join(tmpdir(), 'addresses-'));
  await books.asOwner(`update asset_networks set enabled = true where asset = 'BTC'`);
  reviewers = [await books.admin(['aml:review']), await books.admin(['aml:review'])];
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await books.close();
});

const BTC = 1_500_000n;
const { held: has, turns, told } = coinFigures(() => books.em());
const address = (): string => `tb1q${randomUUID().replaceAll('-', '')}`;
const advance = (deposit: ToldDeposit) =>
  advanceDeposit.one(books.em(), { told: deposit, clock: new Date() });

async function load() {
  const path = join(folder, `${randomUUID()}.csv`);
  writeFileSync(path, ['ref,kind,name,identifiers', ...lines, ''].join('\n'));
  return loadList(books.em, 'own', [path]);
}

/** Puts somebody with these addresses on the list. Answers the entry's id. */
async function listed(...addresses: readonly string[]): Promise<string> {
  const ref = `A-${randomUUID()}`;
  lines.push(`${ref},person,Askel Darvik,${addresses.map((one) => `crypto_address=${one}`).join(';')}`);
  expect(await load()).toMatchObject({ status: 'loaded' });
  return ref;
}

/** Coins from an address, with all blocks, that nobody has judged. */
async function onItsWay(source: string | null, owner?: UserId) {
  const customer = owner ?? (await books.user());
  const deposit = arrived(await vaultOf(books, customer), { source_address: source });
  const { deposit: id } = await noteDeposit.one(books.em(), { told: deposit });
  return { id: CryptoDepositId.parse(id), deposit, customer };
}

const flagsOf = (deposit: CryptoDepositId) =>
  rows<{ id: string }>(
    books.em(),
    `select id, kind, severity, reason, status, held, customer_id, match from aml_flags where subject_id = $1 order by id`,
    [deposit],
  );
const resolve = (flag: string, how: string, by: UserId | undefined) =>
  books.asOwner('select * from aml_flag_resolve($1, $2, $3, $4, null)', [flag, how, by, 'Looked at well']);
const round = () => screeningRound({ em: books.em, threshold: 70 });

test.each([
  ['as it is', address(), (text: string) => text],
  ['in another case', `0x${'aBcD'.repeat(10)}`, (text: string) => text.toLowerCase()],
  ['as the second one of an entry', address(), (text: string) => text],
])('coins from an address on a list, %s, wait in suspense under a critical flag', async (_, source, as) => {
  const ref = await listed(address(), as(source));
  const { id, deposit, customer } = await onItsWay(source);
  const ends = await Promise.all(Array.from({ length: 5 }, () => advance(deposit)));
  expect(ends.filter(({ changed }) => changed)).toMatchObject([
    { state: 'under_review', reason: 'aml_review' },
  ]);
  expect(await flagsOf(id)).toMatchObject([
    {
      ...{ kind: 'sanctions', severity: 'critical', reason: 'hit', status: 'open', held: true },
      customer_id: customer,
      match: { list: 'own', entry_id: ref, reference: ref, score: 100, asked: { address: source } },
    },
  ]);
  expect([await has(customer), await turns(id), await told(customer)]).toEqual([0n, ['suspense'], []]);
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('two reviewers clear it, and it is credited; the next one from there is held again', async () => {
  const source = address();
  await listed(source);
  const { id, deposit, customer } = await onItsWay(source);
  await advance(deposit);
  const [flag] = await flagsOf(id);
  expect(await resolve(flag?.id ?? '', 'cleared', reviewers[0])).toMatchObject([{ needs_second: true }]);
  expect(await advance(deposit)).toMatchObject({ state: 'under_review', changed: false });
  expect(await resolve(flag?.id ?? '', 'cleared', reviewers[1])).toMatchObject([{ needs_second: false }]);
  expect(await advance(deposit)).toMatchObject({ state: 'credited' });
  expect(await has(customer)).toBe(BTC);
  const next = await onItsWay(source, customer);
  expect(await advance(next.deposit)).toMatchObject({ state: 'under_review', reason: 'aml_review' });
});

test('what else comes from there while the flag is open waits for the same one', async () => {
  const source = address();
  const customer = await books.user();
  const before = [await onItsWay(source, customer), await onItsWay(source, customer)];
  for (const { deposit } of before) expect(await advance(deposit)).toMatchObject({ state: 'credited' });
  await listed(source, source.toUpperCase());
  await round();
  const after = [await onItsWay(source, customer), await onItsWay(source, customer)];
  await Promise.all(after.map(({ deposit }) => advance(deposit)));
  const flags = await rows<{ id: string; held: boolean }>(
    books.em(),
    'select id, held from aml_flags where customer_id = $1',
    [customer],
  );
  expect(flags).toMatchObject([{ held: true }]);
  const hits = await rows(
    books.em(),
    'select subject_id::text, held from aml_hits where customer_id = $1 order by subject_id',
    [customer],
  );
  expect(hits).toEqual([
    ...before.map(({ id }) => ({ subject_id: id, held: false })),
    ...after.map(({ id }) => ({ subject_id: id, held: true })),
  ]);
  const flag = flags[0]?.id ?? '';
  for (const reviewer of reviewers) await resolve(flag, 'cleared', reviewer);
  const cleared = await depositsCleared.all(books.em(), { flag: AmlFlagId.parse(flag) });
  expect(cleared.map(({ id }) => id).sort()).toEqual(after.map(({ id }) => id));
  for (const { deposit } of after) expect(await advance(deposit)).toMatchObject({ state: 'credited' });
  expect(await has(customer)).toBe(4n * BTC);
});

test('what comes from elsewhere, from nowhere known, or from an address that a list has dropped is credited', async () => {
  const source = address();
  await listed(source);
  lines.pop();
  await listed(address());
  for (const from of [source, address(), null]) {
    const { id, deposit } = await onItsWay(from);
    expect(await advance(deposit)).toMatchObject({ state: 'credited' });
    expect(await flagsOf(id)).toEqual([]);
  }
});

test('a list that names the source of an earlier deposit later flags it once, and takes nothing back', async () => {
  const source = address();
  const { id, deposit, customer } = await onItsWay(source.toUpperCase());
  const other = await onItsWay(address());
  for (const one of [deposit, other.deposit]) await advance(one);
  const ref = await listed(source);
  await round();
  expect(await flagsOf(id)).toMatchObject([
    { kind: 'sanctions', severity: 'critical', held: false, match: { entry_id: ref } },
  ]);
  expect(await screenSources.one(books.em(), { since: 0n })).toEqual({ count: 0 });
  expect(await flagsOf(other.id)).toEqual([]);
  expect(await has(customer)).toBe(BTC);
});

test('what a rule holds is held by a newer list as well, and waits for both flags', async () => {
  const source = address();
  await ruleInForce(books, 'crypto_deposit', {
    ...{ left: { field: 'counterparty' }, op: 'eq', right: { value: source } },
  });
  const { id, deposit } = await onItsWay(source);
  expect(await advance(deposit)).toMatchObject({ reason: 'aml_review' });
  await listed(source);
  await round();
  const [rule, sanctions] = await flagsOf(id);
  expect([rule, sanctions]).toMatchObject([
    { kind: 'rule', held: true },
    { kind: 'sanctions', held: true },
  ]);
  await resolve(rule?.id ?? '', 'cleared', reviewers[0]);
  expect(await advance(deposit)).toMatchObject({ state: 'under_review', changed: false });
  for (const reviewer of reviewers) await resolve(sanctions?.id ?? '', 'confirmed', reviewer);
  expect(await advance(deposit)).toMatchObject({ state: 'under_review', changed: false });
});

test('a list that takes effect while a deposit is being credited waits for it, and then finds it', async () => {
  const source = address();
  const { id, deposit } = await onItsWay(source);
  const waiting = async () =>
    (
      await rows(
        books.em(),
        `select from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      )
    ).length > 0;
  let loading: Promise<string> | undefined;
  await transaction(books.em(), async (db) => {
    expect(await advanceDeposit.one(db, { told: deposit, clock: new Date() })).toMatchObject({
      state: 'credited',
    });
    const { epoch } = await screeningState.one(books.em());
    loading = listed(source);
    await Promise.race([until(waiting), loading.then(() => expect('the list').toBe('waiting'))]);
    expect((await screeningState.one(books.em())).epoch).toBe(epoch);
  });
  await loading;
  expect(await flagsOf(id)).toEqual([]);
  await round();
  expect(await flagsOf(id)).toMatchObject([{ kind: 'sanctions', held: false }]);
});

test('a source that is told of later is known when the deposit is judged', async () => {
  const source = address();
  await listed(source);
  const { deposit } = await onItsWay(null);
  const now = { ...deposit, source_address: source, updated_at: '2026-03-01T12:00:00Z' };
  expect(await advance(now)).toMatchObject({ state: 'under_review', reason: 'aml_review' });
});
