/**
 * Releases in the database: a deposit under review goes from suspense to one customer, once, whoever else decides in that moment and
 * whatever its chain does; and nothing is left of a release that is refused.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  advanceDeposit,
  depositsOf,
  knownDeposit,
  noteDeposit,
  releaseDeposit,
  type ToldDeposit,
} from '../../../db/queries/crypto/deposits.ts';
import { coinMovementsOf } from '../../../db/queries/crypto/transactions.ts';
import { sqlStateOf } from '../../../db/sql-state.ts';
import { CryptoDepositId, UserId } from '../../../domain/ids.ts';
import { NOT_ALLOWED } from '../../support/bank/as-application.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { coinFigures } from '../../support/bank/coin-figures.ts';
import { brokenChecks } from '../../support/bank/proof.ts';
import { arrived, dropped, vaultOf } from '../../support/custodian/told.ts';
import { ownBank } from '../../support/stack/database.ts';
import { rows } from '../../support/stack/sql.ts';

let books: Books;
let office: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  await books.asOwner(`update asset_networks set enabled = true where asset in ('BTC', 'USDT')`);
  office = await books.admin(['crypto:write']);
});
afterAll(() => books.close());

const UNIT = 10n ** 12n;
const BTC = 1_500_000n;

const advance = (told: ToldDeposit) => advanceDeposit.one(books.em(), { told, clock: new Date() });

/** A deposit that lies in suspense. Without an owner it has come to a vault of the bank. */
async function underReview(owner?: UserId, more: Partial<ToldDeposit> = {}) {
  const vault = owner === undefined ? randomUUID() : await vaultOf(books, owner);
  if (owner === undefined)
    await books.asOwner('insert into crypto_vaults (name, custody_vault) values ($1, $1)', [vault]);
  const told = arrived(vault, more);
  const first =
    owner === undefined ? told : { ...told, chain_amount: String(BigInt(told.chain_amount) - 1n) };
  const { deposit } = await noteDeposit.one(books.em(), {
    told: { ...first, status: 'moving', updated_at: '2026-03-01T09:00:00Z' },
  });
  expect(await advance(told)).toMatchObject({ state: 'under_review', isOpen: false });
  return { id: CryptoDepositId.parse(deposit), told };
}

const release = async (deposit: CryptoDepositId, customer: UserId | null = null, by = office) =>
  (await releaseDeposit.one(books.em(), { deposit, customer, by, clock: new Date() })).refusal;

const { held, house, remainder, turns, told } = coinFigures(() => books.em());
const mine = (customer: UserId) =>
  depositsOf.all(books.em(), {
    ...{ customer, asset: null, network: null, status: null, before: null, most: 50 },
  });
test('what nobody owned becomes the deposit of the customer who is named, who is told once', async () => {
  const customer = await books.user();
  const { id } = await underReview();
  const [suspense, custody] = [await house('suspense'), await house('custody')];
  expect(await release(id, customer)).toBeNull();
  expect([
    await held(customer),
    (await house('suspense')) - suspense,
    (await house('custody')) - custody,
  ]).toEqual([BTC, -BTC, 0n]);
  expect(await mine(customer)).toMatchObject([{ id, status: 'credited', creditedAt: expect.any(Date) }]);
  expect(await knownDeposit.one(books.em(), { id })).toMatchObject({ userId: customer, fault: null });
  expect(await turns(id)).toEqual(['suspense', 'reversal', 'credit']);
  const movements = await coinMovementsOf.all(books.em(), {
    ...{ customer, asset: null, type: null, from: null, most: 50 },
    ...{ beforeAt: null, beforeAccount: null, beforeSeq: null },
  });
  expect(movements).toMatchObject([{ type: 'deposit', amount: BTC, depositId: id, balanceAfter: BTC }]);
  expect(await told(customer)).toEqual([{ subject: id }]);
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('a deposit whose owner is known is released to them, and to another customer only if one is named', async () => {
  const [owner, right] = [await books.user(), await books.user()];
  const [first, second] = [await underReview(owner), await underReview(owner)];
  expect(await release(first.id)).toBeNull();
  expect(await held(owner)).toBe(BTC - 1n);
  expect(await release(second.id, right)).toBeNull();
  expect([await held(owner), await held(right)]).toEqual([BTC - 1n, BTC - 1n]);
  expect((await mine(owner)).map(({ id }) => id)).toEqual([first.id]);
  expect((await mine(right)).map(({ id }) => id)).toEqual([second.id]);
});

test('of ten releases at once one counts, whomever they name', async () => {
  const customers = await Promise.all(Array.from({ length: 10 }, () => books.user()));
  const { id } = await underReview();
  const answers = await Promise.all(customers.map((customer) => release(id, customer)));
  expect(answers.filter((refusal) => refusal === null)).toHaveLength(1);
  expect(new Set(answers)).toEqual(new Set([null, 'crypto_deposit_not_under_review']));
  const balances = await Promise.all(customers.map((customer) => held(customer)));
  expect(balances.filter((balance) => balance !== 0n)).toEqual([BTC]);
  expect(await turns(id)).toEqual(['suspense', 'reversal', 'credit']);
});

test('what the chain drops after its release is taken back from the customer, and given again when it comes back', async () => {
  const customer = await books.user();
  const { id, told: deposit } = await underReview();
  await release(id, customer);
  const suspense = await house('suspense');
  expect(await advance(dropped(deposit))).toMatchObject({ state: 'reversed', changed: true });
  expect([await held(customer), (await house('suspense')) - suspense]).toEqual([0n, 0n]);
  expect(await release(id, customer)).toBe('crypto_deposit_not_under_review');
  const again = { ...deposit, updated_at: '2026-03-01T12:00:00Z' };
  expect(await advance(again)).toMatchObject({ state: 'credited', reason: null });
  expect(await held(customer)).toBe(BTC);
  expect(await turns(id)).toEqual(['suspense', 'reversal', 'credit', 'reversal', 'credit']);
  // it is another payment now
  await advance({ ...dropped(deposit), updated_at: '2026-03-01T13:00:00Z' });
  expect(await advance({ ...again, chain_amount: '7', updated_at: '2026-03-01T14:00:00Z' })).toMatchObject({
    ...{ state: 'under_review', reason: 'told_otherwise' },
  });
  expect(await held(customer)).toBe(0n);
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('what is told otherwise while it is under review says so, whatever its fault was', async () => {
  const { id, told: deposit } = await underReview();
  const more = { chain_amount: '900', updated_at: '2026-03-01T12:00:00Z' };
  expect(await advance({ ...deposit, ...more })).toMatchObject({
    ...{ state: 'under_review', changed: false, reason: 'told_otherwise' },
  });
  expect(await knownDeposit.one(books.em(), { id })).toMatchObject({ amount: BTC, fault: 'told_otherwise' });
  expect(await turns(id)).toEqual(['suspense']);
});

test('what is too small for others and was released is the customer’s again when it comes back', async () => {
  const customer = await books.user();
  const { id, told: deposit } = await underReview(undefined, { chain_amount: '3' });
  await release(id, customer);
  await advance(dropped(deposit));
  expect(await advance({ ...deposit, updated_at: '2026-03-01T12:00:00Z' })).toMatchObject({
    state: 'credited',
  });
  expect(await held(customer)).toBe(3n);
});

test('what the chain has dropped, as far as the custodian has told, is not released', async () => {
  const customer = await books.user();
  const { id, told: deposit } = await underReview();
  await noteDeposit.one(books.em(), { told: dropped(deposit) });
  expect(await release(id, customer)).toBe('crypto_deposit_not_under_review');
  await advance(dropped(deposit));
  expect(await release(id, customer)).toBe('crypto_deposit_not_under_review');
  expect(await turns(id)).toEqual(['suspense', 'reversal']);
});

test('a release while the chain drops the deposit leaves the customer with nothing, whichever comes first', async () => {
  for (let round = 0; round < 8; round += 1) {
    const customer = await books.user();
    const { id, told: deposit } = await underReview();
    const [refusal] = await Promise.all([release(id, customer), advance(dropped(deposit))]);
    expect([null, 'crypto_deposit_not_under_review']).toContain(refusal);
    expect(await held(customer)).toBe(0n);
    expect((await knownDeposit.one(books.em(), { id })).status).toBe('reversed');
    expect((await turns(id)).length).toBe(refusal === null ? 4 : 2);
  }
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('no deposit is released to nobody, to a stranger of the bank, or to whoever releases it', async () => {
  const { id } = await underReview();
  expect(await release(id)).toBe('no_owner');
  expect(await release(id, UserId.parse(randomUUID()))).toBe('unknown_owner');
  expect(await release(id, office)).toBe('same_person');
  expect(await release(CryptoDepositId.parse(randomUUID()), office)).toBe('crypto_deposit_not_under_review');
  const clerk = await books.admin(['crypto:read']);
  const refused = await release(id, await books.user(), clerk).catch(sqlStateOf);
  expect(refused).toBe(NOT_ALLOWED);
  expect(await turns(id)).toEqual(['suspense']);
});

test.each([
  ['frozen', 'account_blocked'],
  ['closed', 'account_closed'],
] as const)(
  'an account that is %s is given nothing, and the deposit stays under review',
  async (status, why) => {
    const customer = await books.user();
    await books.asOwner(
      `insert into accounts (kind, owner_id, asset, status, closed_at)
         values ('coin', $1, 'BTC', $2, case $2 when 'closed' then bank_now() end)`,
      [customer, status],
    );
    const { id } = await underReview();
    const suspense = await house('suspense');
    expect(await release(id, customer)).toBe(why);
    expect([await held(customer), (await house('suspense')) - suspense]).toEqual([0n, 0n]);
    expect(await turns(id)).toEqual(['suspense']);
    expect(await knownDeposit.one(books.em(), { id })).toMatchObject({
      status: 'under_review',
      userId: null,
    });
    // whoever else it belongs to has it
    const other = await books.user();
    expect(await release(id, other)).toBeNull();
    expect(await held(other)).toBe(BTC);
  },
);

test('what is less than a unit of the books stays accounted for, to the last digit', async () => {
  const customer = await books.user();
  const tokens = {
    asset: 'USDT',
    network: 'bnb',
    chain_amount: (5_000_000n * UNIT + 600_000_000_000n).toString(),
  };
  const dust = await house('dust', 'USDT');
  const deposits = [await underReview(undefined, tokens), await underReview(undefined, tokens)];
  expect([await remainder(), (await house('dust', 'USDT')) - dust]).toEqual([200_000_000_000n, 1n]);
  for (const { id } of deposits) expect(await release(id, customer)).toBeNull();
  expect([await held(customer, 'USDT'), await remainder(), (await house('dust', 'USDT')) - dust]).toEqual([
    ...[10_000_000n, 200_000_000_000n, 1n],
  ]);
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('the database lets nobody else give a deposit an owner, or credit one that is not under review', async () => {
  const [customer, other] = [await books.user(), await books.user()];
  const { id } = await underReview();
  const change = (values: string) =>
    books.asOwner(`update crypto_deposits set ${values} where id = $1`, [id]);
  await expect(change(`user_id = '${customer}'`)).rejects.toThrow(/never changes/);
  await expect(change(`status = 'credited', user_id = '${customer}', credited_at = now()`)).rejects.toThrow(
    /crypto_deposits_credited/,
  );
  await expect(change(`status = 'below_minimum'`)).rejects.toThrow(/cannot go from/);
  await release(id, customer);
  await expect(change(`user_id = '${other}'`)).rejects.toThrow(/never changes/);
  await expect(change(`status = 'under_review', fault = 'no_memo'`)).rejects.toThrow(/cannot go from/);
  await expect(
    rows(books.em(), `select crypto_deposit_turns(d, '{credit}') from crypto_deposits d where d.id = $1`, [
      id,
    ]),
  ).rejects.toThrow(/permission denied/);
});
