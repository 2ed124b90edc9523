/**
 * The money-laundering watch on deposits: judged in the transaction that would credit them, held in suspense with their flag, credited
 * once no flag holds them, and counted as long as they are there.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  advanceDeposit,
  depositKnown,
  depositsCleared,
  depositsOf,
  knownDeposit,
  noteDeposit,
  overdueDeposits,
  releaseDeposit,
  type ToldDeposit,
} from '../../../db/queries/crypto/deposits.ts';
import { AmlFlagId, CryptoDepositId, type UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { coinFigures } from '../../support/bank/coin-figures.ts';
import { brokenChecks } from '../../support/bank/proof.ts';
import { ruleInForce } from '../../support/bank/watch.ts';
import { arrived, dropped, vaultOf } from '../../support/custodian/told.ts';
import { ownBank } from '../../support/stack/database.ts';
import { row, rows } from '../../support/stack/sql.ts';

let books: Books;
let office: UserId;
let reviewers: readonly UserId[];
beforeAll(async () => {
  books = openBooks(await ownBank());
  await books.asOwner(`update asset_networks set enabled = true where asset in ('BTC', 'LTC')`);
  await books.asOwner(
    `insert into coin_prices (asset, currency, price, priced_at, sources) select 'BTC', base_asset, 50000, now(), '[]' from fx_settings`,
  );
  office = await books.admin(['crypto:write']);
  reviewers = [await books.admin(['aml:review']), await books.admin(['aml:review'])];
});
afterAll(() => books.close());

const BTC = 1_500_000n;
const later = (hour: number): string => `2026-03-01T${String(hour)}:00:00Z`;
const from = (address: string) => ({ left: { field: 'counterparty' }, op: 'eq', right: { value: address } });

const rule = (condition: object, action = 'hold') => ruleInForce(books, 'crypto_deposit', condition, action);

const advance = (told: ToldDeposit) => advanceDeposit.one(books.em(), { told, clock: new Date() });

/** Coins from an address of their own, with all blocks, and nobody has judged them. */
async function onItsWay(owner: UserId, more: Partial<ToldDeposit> = {}) {
  const told = arrived(await vaultOf(books, owner), { source_address: `tb1q${randomUUID()}`, ...more });
  const { deposit } = await noteDeposit.one(books.em(), { told });
  return { id: CryptoDepositId.parse(deposit), told, source: told.source_address ?? '' };
}

/** A deposit that a rule of its own holds. */
async function held(owner: UserId, action = 'hold') {
  const deposit = await onItsWay(owner);
  await rule(from(deposit.source), action);
  expect(await advance(deposit.told)).toMatchObject({
    state: 'under_review',
    reason: 'aml_review',
    isOpen: false,
  });
  return { ...deposit, flag: await flagOf(deposit.id) };
}

async function flagOf(deposit: CryptoDepositId): Promise<AmlFlagId> {
  const found = await row<{ id: string }>(
    books.em(),
    `select f.id from aml_flags f where f.subject_type = 'crypto_deposit' and f.subject_id = $1 and f.resolved_at is null`,
    [deposit],
  );
  return AmlFlagId.parse(found?.id);
}

/** Two confirm. */
async function resolve(flag: AmlFlagId, how: 'cleared' | 'confirmed'): Promise<void> {
  for (const reviewer of how === 'confirmed' ? reviewers : reviewers.slice(1))
    await books.asOwner('select aml_flag_resolve($1, $2, $3, $4, null)', [flag, how, reviewer, 'Looked at']);
}

const { held: has, house, turns, told } = coinFigures(() => books.em());
const suspense = () => house('suspense');
const movements = (deposit: CryptoDepositId) =>
  rows(
    books.em(),
    `select kind, direction, counterparty, amount::text, round(amount_base)::text as base, ended_at is not null as ended
       from aml_movements where subject_id = $1 order by seq`,
    [deposit],
  );
const hits = (deposit: CryptoDepositId) =>
  rows(
    books.em(),
    `select h.outcome, h.held, f.status from aml_hits h join aml_flags f on f.id = h.flag_id where h.subject_id = $1 order by h.id`,
    [deposit],
  );

test('a deposit that no rule meets is credited, and counts as a movement at the newest price', async () => {
  const customer = await books.user();
  const { id, told: deposit, source } = await onItsWay(customer);
  await rule(from('somebody else'));
  expect(await advance(deposit)).toMatchObject({ state: 'credited' });
  expect(await has(customer)).toBe(BTC);
  expect(await movements(id)).toEqual([
    {
      ...{ kind: 'crypto_deposit', direction: 'incoming', counterparty: source, amount: '0.01500000' },
      ...{ base: '750', ended: false },
    },
  ]);
  expect(await hits(id)).toEqual([]);
});

test.each(['hold', 'block'])(
  'what a rule would %s lies in suspense as its customer’s, with one flag, and nobody is told',
  async (action) => {
    const customer = await books.user();
    const before = await suspense();
    const { id, told: deposit } = await held(customer, action);
    await Promise.all(Array.from({ length: 10 }, () => advance(deposit)));
    expect([await has(customer), (await suspense()) - before]).toEqual([0n, BTC]);
    expect(await knownDeposit.one(books.em(), { id })).toMatchObject({
      ...{ status: 'under_review', userId: customer, fault: 'aml_review', creditedAt: null },
    });
    expect(await hits(id)).toEqual([{ outcome: 'hit', held: true, status: 'open' }]);
    expect(await movements(id)).toMatchObject([{ ended: false }]);
    expect(await turns(id)).toEqual(['suspense']);
    expect(await told(customer)).toEqual([]);
    expect(await depositKnown.one(books.em(), { deposit: id })).toMatchObject({ isOpen: false });
  },
);

test('a rule that flags lets the deposit pass', async () => {
  const customer = await books.user();
  const { id, told: deposit, source } = await onItsWay(customer);
  await rule(from(source), 'flag');
  expect(await advance(deposit)).toMatchObject({ state: 'credited', reason: null });
  expect(await hits(id)).toEqual([{ outcome: 'hit', held: false, status: 'open' }]);
});

test('once its flag is cleared a deposit is looked after, credited once, and told', async () => {
  const customer = await books.user();
  const { id, told: deposit, flag } = await held(customer);
  const late = { lateSeconds: -1, most: 1_000, after: null };
  expect(await overdueDeposits.all(books.em(), late)).not.toContainEqual({ id });
  expect(await depositsCleared.all(books.em(), { flag })).toEqual([]);
  await resolve(flag, 'cleared');
  expect(await depositsCleared.all(books.em(), { flag })).toEqual([{ id, customerId: customer }]);
  expect(await overdueDeposits.all(books.em(), late)).toContainEqual({ id });
  expect(await depositKnown.one(books.em(), { deposit: id })).toMatchObject({ isOpen: true });
  const ends = await Promise.all(Array.from({ length: 10 }, () => advance(deposit)));
  expect(ends.filter(({ changed }) => changed)).toMatchObject([{ state: 'credited', reason: null }]);
  expect(await has(customer)).toBe(BTC);
  expect(await turns(id)).toEqual(['suspense', 'reversal', 'credit']);
  expect(await told(customer)).toEqual([{ subject: id }]);
  expect(await overdueDeposits.all(books.em(), late)).not.toContainEqual({ id });
  expect(await movements(id)).toHaveLength(1);
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('a deposit whose flag is confirmed stays in suspense, and nobody can release it', async () => {
  const [customer, other] = [await books.user(), await books.user()];
  const { id, told: deposit, flag } = await held(customer);
  const release = async (user: UserId) =>
    (await releaseDeposit.one(books.em(), { deposit: id, customer: user, by: office, clock: new Date() }))
      .refusal;
  expect(await release(other)).toBe('crypto_deposit_held');
  await resolve(flag, 'confirmed');
  expect(await depositsCleared.all(books.em(), { flag })).toEqual([]);
  expect(await advance(deposit)).toMatchObject({ state: 'under_review', changed: false });
  expect(await release(customer)).toBe('crypto_deposit_held');
  expect(await turns(id)).toEqual(['suspense']);
});

test('the owner of what the watch holds is not changed, also when it is credited', async () => {
  const [customer, other] = [await books.user(), await books.user()];
  const { id } = await held(customer);
  for (const status of ['under_review', 'credited'])
    await expect(
      books.asOwner(
        `update crypto_deposits set user_id = $2, status = $3, credited_at = now(), fault = case $3 when 'credited' then null else fault end
          where id = $1`,
        [id, other, status],
      ),
    ).rejects.toThrow(/never changes/);
});

test('a deposit that two flags hold waits for both', async () => {
  const customer = await books.user();
  const deposit = await onItsWay(customer);
  await rule(from(deposit.source));
  await rule({ all: [from(deposit.source), from(deposit.source)] });
  await advance(deposit.told);
  const flags = await rows<{ flag_id: string }>(
    books.em(),
    'select flag_id from aml_hits where subject_id = $1',
    [deposit.id],
  );
  expect(flags).toHaveLength(2);
  await resolve(AmlFlagId.parse(flags[0]?.flag_id), 'cleared');
  expect(await advance(deposit.told)).toMatchObject({ state: 'under_review' });
  await resolve(AmlFlagId.parse(flags[1]?.flag_id), 'cleared');
  expect(await advance(deposit.told)).toMatchObject({ state: 'credited' });
});

test('an open flag of the customer holds what arrives, and lets it go when it is cleared', async () => {
  const customer = await books.user();
  const [flag] = await books.asOwner(
    `insert into aml_flags (kind, severity, reason, subject_type, subject_id, customer_id, explanation, held, due_at)
       values ('sanctions', 'high', 'hit', 'customer', $1, $1, '{"text": "x", "leaves": [], "movements": []}', true, now())
       returning id`,
    [customer],
  );
  const { id, told: deposit } = await onItsWay(customer);
  expect(await advance(deposit)).toMatchObject({ state: 'under_review', reason: 'aml_review' });
  const of = AmlFlagId.parse(flag?.['id']);
  await resolve(of, 'cleared');
  expect(await depositsCleared.all(books.em(), { flag: of })).toEqual([{ id, customerId: customer }]);
  expect(await advance(deposit)).toMatchObject({ state: 'credited' });
});

test('what could not be checked is held: a coin without a price, where the worth counts', async () => {
  const customer = await books.user();
  const coin = { asset: 'LTC', network: 'litecoin' };
  const { id, told: deposit, source } = await onItsWay(customer, coin);
  const worth = { left: { field: 'amount_base' }, op: 'gt', right: { value: '1000000' } };
  await rule({ all: [from(source), worth] }, 'flag');
  expect(await advance(deposit)).toMatchObject({ state: 'under_review', reason: 'aml_review' });
  expect(await hits(id)).toEqual([{ outcome: 'not_checked', held: true, status: 'open' }]);
});

test('twenty deposits at once of which nine stay below a sum within a day: nine are credited', async () => {
  const customer = await books.user();
  const source = `tb1q${randomUUID()}`;
  const sum = {
    aggregate: 'sum',
    over: 'incoming',
    field: 'amount_base',
    window: 'PT24H',
    include_current: true,
  };
  await rule({ all: [from(source), { left: sum, op: 'gte', right: { value: '7500' } }] });
  const deposits = [];
  for (let n = 0; n < 20; n += 1) deposits.push(await onItsWay(customer, { source_address: source }));
  const ends = await Promise.all(deposits.map(({ told: deposit }) => advance(deposit)));
  expect(ends.filter(({ state }) => state === 'credited')).toHaveLength(9);
  expect(await has(customer)).toBe(9n * BTC);
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('what the chain drops counts no longer, and is judged again when it comes back', async () => {
  const customer = await books.user();
  const { id, told: deposit, flag } = await held(customer);
  const before = await suspense();
  expect(await advance(dropped(deposit))).toMatchObject({ state: 'reversed' });
  expect((await suspense()) - before).toBe(-BTC);
  expect(await movements(id)).toMatchObject([{ ended: true }]);
  await resolve(flag, 'cleared');
  expect(await depositsCleared.all(books.em(), { flag })).toEqual([]);
  expect(await advance({ ...deposit, updated_at: later(12) })).toMatchObject({ state: 'under_review' });
  expect(await movements(id)).toMatchObject([{ ended: true }, { ended: false }]);
  await resolve(await flagOf(id), 'cleared');
  expect(await advance({ ...deposit, updated_at: later(13) })).toMatchObject({ state: 'credited' });
  expect(await turns(id)).toEqual(['suspense', 'reversal', 'suspense', 'reversal', 'credit']);
  // as another payment it is nobody's for now
  await advance({ ...dropped(deposit), updated_at: later(14) });
  expect(await advance({ ...deposit, chain_amount: '7', updated_at: later(15) })).toMatchObject({
    ...{ state: 'under_review', reason: 'told_otherwise' },
  });
});

test('what was held comes back as another payment, and is not credited when its flag is cleared', async () => {
  const { id, told: deposit, flag } = await held(await books.user());
  await advance({ ...dropped(deposit), updated_at: later(12) });
  expect(await advance({ ...deposit, chain_amount: '7', updated_at: later(13) })).toMatchObject({
    ...{ state: 'under_review', reason: 'told_otherwise' },
  });
  await resolve(flag, 'cleared');
  expect(await depositKnown.one(books.em(), { deposit: id })).toMatchObject({ isOpen: false });
});

test('what is told otherwise while it is held is judged again when it is released', async () => {
  const customer = await books.user();
  const { id, told: deposit, flag } = await held(customer);
  const otherwise = { ...deposit, memo: '7', updated_at: later(12) };
  expect(await advance(otherwise)).toMatchObject({ state: 'under_review', reason: 'told_otherwise' });
  const release = { deposit: id, customer: null, by: office, clock: new Date() };
  expect(await releaseDeposit.one(books.em(), release)).toEqual({ refusal: null });
  expect(await knownDeposit.one(books.em(), { id })).toMatchObject({ fault: 'aml_review' });
  expect(await movements(id)).toMatchObject([{ ended: true }, { ended: false }]);
  await resolve(flag, 'cleared');
  expect(await depositsCleared.all(books.em(), { flag })).toEqual([]);
  await resolve(await flagOf(id), 'cleared');
  expect(await advance(otherwise)).toMatchObject({ state: 'credited' });
  expect(await has(customer)).toBe(BTC);
});

test('what was held is too small when it comes back, and goes to the bank without a fault', async () => {
  const { id, told: deposit } = await held(await books.user());
  await advance({ ...dropped(deposit), updated_at: later(12) });
  await books.asOwner(`update asset_networks set min_deposit = 99000000 where asset = 'BTC'`);
  expect(await advance({ ...deposit, updated_at: later(13) })).toMatchObject({
    state: 'below_minimum',
    reason: null,
  });
  await books.asOwner(`update asset_networks set min_deposit = 0 where asset = 'BTC'`);
  expect(await turns(id)).toEqual(['suspense', 'reversal', 'dust']);
});

test('a release is judged too: what is held is the customer’s in suspense, and is credited once it is cleared', async () => {
  const [customer, vault] = [await books.user(), randomUUID()];
  await books.asOwner('insert into crypto_vaults (name, custody_vault) values ($1, $1)', [vault]);
  const deposit = arrived(vault, { source_address: `tb1q${vault}` });
  const { deposit: noted } = await noteDeposit.one(books.em(), { told: deposit });
  const id = CryptoDepositId.parse(noted);
  await rule(from(`tb1q${vault}`));
  // nobody's: there is no customer of whom the watch could know anything
  expect(await advance(deposit)).toMatchObject({ state: 'under_review', reason: 'unknown_address' });
  expect(await movements(id)).toEqual([]);
  const release = { deposit: id, customer, by: office, clock: new Date() };
  expect(await releaseDeposit.one(books.em(), release)).toEqual({ refusal: null });
  expect(await knownDeposit.one(books.em(), { id })).toMatchObject({
    ...{ status: 'under_review', userId: customer, fault: 'aml_review' },
  });
  expect(await releaseDeposit.one(books.em(), release)).toEqual({ refusal: 'crypto_deposit_held' });
  expect([await has(customer), await told(customer)]).toEqual([0n, []]);
  await resolve(await flagOf(id), 'cleared');
  expect(await advance(deposit)).toMatchObject({ state: 'credited' });
  expect(await has(customer)).toBe(BTC);
  expect(await turns(id)).toEqual(['suspense', 'reversal', 'credit']);
  const filter = { asset: null, network: null, status: 'credited', before: null, most: 50 };
  expect(await depositsOf.all(books.em(), { ...filter, customer })).toMatchObject([{ id }]);
});
