/**
 * Deposits in the database: however often, in whatever order and however late the custodian tells of a transaction, it is booked once,
 * and the books hold for customers and the bank what lies with the custodian, to the last digit of the chain.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import {
  advanceDeposit,
  depositKnown,
  depositsOf,
  noteDeposit,
  overdueDeposits,
  type ToldDeposit,
} from '../../../db/queries/crypto/deposits.ts';
import { ledgerEvents } from '../../../db/queries/ledger/ledger-events.ts';
import { trialBalance } from '../../../db/ledger/trial-balance.ts';
import { CryptoDepositId, type UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { coinFigures } from '../../support/bank/coin-figures.ts';
import { ownBank } from '../../support/stack/database.ts';
import { row, rows } from '../../support/stack/sql.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
  await books.asOwner(`update crypto_assets set enabled = true where asset in ('BTC', 'USDT', 'XRP')`);
  await books.asOwner(
    `update asset_networks set enabled = true where asset = 'USDT' or (asset, network) in (('BTC', 'bitcoin'), ('XRP', 'ripple'))`,
  );
});
afterAll(() => books.close());

const UNIT = 10n ** 12n;

/** A customer with a vault of their own, and a tag at an address that others share. */
async function customer(): Promise<{ readonly id: UserId; readonly vault: string; readonly tag: string }> {
  const id = await books.user();
  const [vault, tag] = [`v${randomUUID()}`, String(randomInt(2 ** 31))];
  await books.asOwner('insert into crypto_vaults (user_id, name, custody_vault) values ($1, $2, $3)', [
    ...[id, `u:${id}`, vault],
  ]);
  await books.asOwner(
    `insert into crypto_wallets (user_id, vault_id, asset, network, status, address, memo)
       select $1, id, 'BTC', 'bitcoin', 'active', $2, null from crypto_vaults where user_id = $1
       union all select $1, id, 'XRP', 'ripple', 'active', 'rShared', $3 from crypto_vaults where name = 'bank:shared'`,
    [id, `tb1q${id}`, tag],
  );
  await books.asOwner(`update crypto_vaults set custody_vault = 'shared' where name = 'bank:shared'`);
  return { id, vault, tag };
}

const START = Date.parse('2026-03-01T10:00:00Z');
const at = (step: number): string => new Date(START + step * 1_000).toISOString();

/** A transaction that the custodian has completed. */
function told(vault: string, more: Partial<ToldDeposit> = {}): ToldDeposit {
  return {
    ...{ custody_id: randomUUID(), status: 'completed', told: 'COMPLETED CONFIRMED', updated_at: at(10) },
    ...{ vault, asset: 'BTC', network: 'bitcoin', tx_hash: randomUUID(), output_index: 0 },
    ...{ address: 'tb1qany', memo: null, source_address: 'tb1qstranger', chain_amount: '1500000' },
    ...{ confirmations: 3, block_hash: 'b1' },
    ...more,
  };
}
const tokens = (vault: string, amount: bigint, more: Partial<ToldDeposit> = {}): ToldDeposit =>
  told(vault, { asset: 'USDT', network: 'bnb', chain_amount: amount.toString(), confirmations: 40, ...more });

const note = (what: ToldDeposit) => noteDeposit.one(books.em(), { told: what });
const advance = (what: ToldDeposit) => advanceDeposit.one(books.em(), { told: what, clock: new Date() });
/** As the process does: noted first, then booked by what the custodian says. */
async function settle(what: ToldDeposit) {
  await note(what);
  return advance(what);
}
const { held, house, remainder } = coinFigures(() => books.em());
const mine = (user: UserId) =>
  depositsOf.all(books.em(), {
    customer: user,
    ...{ asset: null, network: null, status: null, before: null, most: 50 },
  });

/** The checks of the trial balance that fail; what `spend` books has no source. */
const broken = async (): Promise<string[]> =>
  (await trialBalance(books.em())).checks
    .filter(({ broken: count, check }) => count > 0 && check !== 'every transaction has its source')
    .map(({ check }) => check);

test('a deposit is pending until the custodian has completed it and the blocks of the network are there', async () => {
  const { id, vault } = await customer();
  const place = { custody_id: randomUUID(), tx_hash: randomUUID() };
  const { deposit, customer: whose } = await note(
    told(vault, { ...place, status: 'moving', confirmations: 0, updated_at: at(1), block_hash: null }),
  );
  expect(whose).toBe(id);
  expect(await mine(id)).toMatchObject([
    { id: deposit, status: 'pending', amount: 1_500_000n, confirmations: 0, requiredConfirmations: 3 },
  ]);
  expect(await advance(told(vault, { ...place, confirmations: 2, updated_at: at(2) }))).toMatchObject({
    ...{ state: 'pending', changed: false, isOpen: true, isNear: true },
  });
  // more blocks, and no other change
  expect(await advance(told(vault, { ...place, confirmations: 3, updated_at: at(2) }))).toMatchObject({
    ...{ state: 'credited', changed: true, isOpen: false },
  });
  expect(await held(id, 'BTC')).toBe(1_500_000n);
  expect(await mine(id)).toMatchObject([{ status: 'credited', confirmations: 3 }]);
  // it is a line of the customer's coins, and of no account of the bank's lists
  expect(
    await rows(books.em(), 'select 1 from accounts where owner_id = $1 and number is not null', [id]),
  ).toEqual([]);
});

test('of two things told of the same moment the final one counts', async () => {
  const { id, vault } = await customer();
  const final = told(vault);
  const { deposit } = await note({ ...final, status: 'moving' });
  await settle(final);
  await note({ ...final, status: 'moving' });
  expect(await mine(id)).toMatchObject([{ id: deposit, status: 'credited' }]);
  expect((await settle({ ...final, status: 'moving' })).state).toBe('credited');
});

test('fifty copies at once, of which each asks for the booking, leave one credit', async () => {
  const { id, vault } = await customer();
  const same = told(vault);
  const ends = await Promise.all(Array.from({ length: 50 }, () => settle(same)));
  expect(ends.filter(({ changed }) => changed)).toHaveLength(1);
  // the same output, told of under another id
  expect(await note({ ...same, custody_id: randomUUID(), updated_at: at(11) })).toMatchObject({
    fault: 'same_place',
  });
  expect(await held(id, 'BTC')).toBe(1_500_000n);
  expect(await mine(id)).toHaveLength(1);
});

test('outputs that the custodian does not number are told apart by its ids', async () => {
  const { id, vault } = await customer();
  const first = told(vault, { output_index: null });
  await settle(first);
  await settle({ ...first, custody_id: randomUUID() });
  await settle(first);
  expect(await held(id, 'BTC')).toBe(3_000_000n);
});

test('another transaction of the custodian for the same output changes nothing before the first has failed', async () => {
  const { id, vault } = await customer();
  const first = told(vault);
  await settle(first);
  const second = { ...first, custody_id: randomUUID(), updated_at: at(20) };
  expect(await note({ ...second, status: 'moving' })).toMatchObject({ fault: 'same_place', isOpen: false });
  expect(await note({ ...second, status: 'failed' })).toMatchObject({ fault: 'same_place', isOpen: false });
  expect(await note(second)).toMatchObject({ fault: 'same_place', isOpen: false });
  expect(await held(id, 'BTC')).toBe(1_500_000n);
  // the custodian has replaced its record of it
  await settle({ ...first, status: 'failed', updated_at: at(21) });
  expect(await held(id, 'BTC')).toBe(0n);
  expect(await note({ ...second, updated_at: at(22) })).toMatchObject({ fault: null, isOpen: true });
  expect(await settle({ ...second, updated_at: at(22) })).toMatchObject({ state: 'credited' });
  await settle({ ...first, status: 'failed', updated_at: at(30) });
  expect(await held(id, 'BTC')).toBe(1_500_000n);
});

test('what comes back to the chain as something else is not credited before somebody has looked', async () => {
  const { id, vault } = await customer();
  const first = told(vault);
  await settle(first);
  await settle({ ...first, status: 'failed', updated_at: at(20) });
  expect(await settle({ ...first, chain_amount: '900', updated_at: at(30) })).toMatchObject({
    ...{ state: 'under_review', reason: 'told_otherwise' },
  });
  expect(await held(id, 'BTC')).toBe(0n);
});

test('the feed of the ledger goes on after a deposit', async () => {
  const { vault } = await customer();
  await settle(told(vault));
  const events = await ledgerEvents.all(books.em(), { after: 0n, upTo: 10n ** 6n, most: 500 });
  expect(events.flatMap(({ entries }) => entries.map(({ account }) => account))).toContain('coins');
});

test('two outputs of one transaction are two deposits', async () => {
  const { id, vault } = await customer();
  const first = told(vault);
  await settle(first);
  await settle({ ...first, custody_id: randomUUID(), output_index: 1, chain_amount: '7000' });
  expect(await held(id, 'BTC')).toBe(1_507_000n);
});

test('all orders in which five events can come end in the same way, and no status goes backwards', async () => {
  const { id, vault } = await customer();
  const orders = permutations([0, 1, 2, 3, 4]);
  expect(orders).toHaveLength(120);
  for (const order of orders) {
    const place = { custody_id: randomUUID(), tx_hash: randomUUID(), chain_amount: '1000' };
    const events = [0, 1, 2, 3].map((step) =>
      told(vault, { ...place, status: 'moving', confirmations: Math.max(step - 1, 0), updated_at: at(step) }),
    );
    events.push(told(vault, place));
    const states: string[] = [];
    for (const which of order) states.push((await settle(events[which] ?? told(vault))).state);
    expect(states.at(-1)).toBe('credited');
    expect(states.join(' ')).toMatch(/^(pending ?)*(credited ?)+$/);
  }
  expect(await held(id, 'BTC')).toBe(120_000n);
});

test('what is below the minimum goes to the bank, and what is less than a unit of the books is kept for later', async () => {
  const { id, vault } = await customer();
  const [custody, dust] = [await house('custody', 'BTC'), await house('dust', 'BTC')];
  expect(await settle(told(vault, { chain_amount: '999' }))).toMatchObject({ state: 'below_minimum' });
  expect(await held(id, 'BTC')).toBe(0n);
  expect([(await house('custody', 'BTC')) - custody, (await house('dust', 'BTC')) - dust]).toEqual([
    -999n,
    999n,
  ]);

  const before = await house('dust', 'USDT');
  await settle(tokens(vault, 5_000_000n * UNIT + 600_000_000_000n));
  expect([await held(id, 'USDT'), await remainder(), (await house('dust', 'USDT')) - before]).toEqual([
    ...[5_000_000n, 600_000_000_000n, 0n],
  ]);
  await settle(tokens(vault, 2_000_000n * UNIT + 600_000_000_000n));
  expect([await held(id, 'USDT'), await remainder(), (await house('dust', 'USDT')) - before]).toEqual([
    ...[7_000_000n, 200_000_000_000n, 1n],
  ]);
  // nothing at all for the books
  expect(await settle(tokens(vault, 1n))).toMatchObject({ state: 'below_minimum' });
  expect(await remainder()).toBe(200_000_000_001n);
  expect(await broken()).toEqual([]);
});

test('what comes to a shared address is of the customer whose tag it has, and without one it lies in suspense', async () => {
  const { id, tag } = await customer();
  const shared = { asset: 'XRP', network: 'ripple', address: 'rShared', chain_amount: '20000000' };
  expect(await settle(told('shared', { ...shared, memo: tag }))).toMatchObject({ state: 'credited' });
  expect(await held(id, 'XRP')).toBe(20_000_000n);
  const before = await house('suspense', 'XRP');
  expect(await settle(told('shared', shared))).toMatchObject({ state: 'under_review', reason: 'no_memo' });
  expect(await settle(told('shared', { ...shared, memo: '0' }))).toMatchObject({ reason: 'unknown_memo' });
  expect(await settle(told('shared', { ...shared, address: 'rOther', memo: tag }))).toMatchObject({
    ...{ state: 'under_review', reason: 'unknown_address' },
  });
  expect((await house('suspense', 'XRP')) - before).toBe(60_000_000n);
  expect(await held(id, 'XRP')).toBe(20_000_000n);
});

test('what comes to vaults that are not the bank’s, or has failed before it was known, is nothing', async () => {
  const { id, vault } = await customer();
  expect(await note(told('of somebody else'))).toMatchObject({
    deposit: null,
    customer: null,
    isOpen: false,
  });
  expect(await note(told(vault, { status: 'failed' }))).toMatchObject({ deposit: null });
  await expect(advance(told('of somebody else'))).rejects.toThrow(/no deposit of the bank/);
  expect(await mine(id)).toEqual([]);
});

test('a deposit that is told otherwise later is not credited before somebody has looked', async () => {
  const { id, vault } = await customer();
  const first = told(vault, { status: 'moving', confirmations: 1, updated_at: at(1) });
  await note(first);
  const other = { ...first, status: 'completed', confirmations: 3, updated_at: at(5) } as const;
  expect(await advance({ ...other, chain_amount: '150000000' })).toMatchObject({
    ...{ state: 'under_review', reason: 'told_otherwise' },
  });
  expect(await held(id, 'BTC')).toBe(0n);
  expect(await mine(id)).toMatchObject([{ status: 'under_review', amount: 1_500_000n }]);
});

test('a deposit that is credited and told otherwise later stays as it is, and somebody is told', async () => {
  const { id, vault } = await customer();
  const first = told(vault);
  expect(await settle(first)).toMatchObject({ state: 'credited' });
  expect(await note(first)).toMatchObject({ isOpen: false, fault: null });
  const other = { ...first, chain_amount: '150000000', updated_at: at(20) };
  expect(await note(other)).toMatchObject({ isOpen: false, fault: 'told_otherwise' });
  expect(await held(id, 'BTC')).toBe(1_500_000n);
  // that it was otherwise before is not news, and what the chain has dropped is taken back
  expect(await note({ ...first, updated_at: at(21) })).toMatchObject({ fault: null });
  expect(await note(other)).toMatchObject({ fault: null });
  expect(await note({ ...other, status: 'failed', updated_at: at(22) })).toMatchObject({
    isOpen: true,
    fault: null,
  });
});

test('a chain that takes a deposit back takes the credit, also of what is spent, and gives it again once', async () => {
  const { id, vault } = await customer();
  const custody = await house('custody', 'USDT');
  const deposit = tokens(vault, 3_000_000n * UNIT + 900_000_000_000n);
  await settle(deposit);
  await spend(id, 1_000_000n);
  const dropped = { ...deposit, status: 'failed', confirmations: 0, updated_at: at(20) } as const;
  const { isOpen } = await note(dropped);
  expect(isOpen).toBe(true);
  expect(await advance(dropped)).toMatchObject({ state: 'reversed', changed: true, isOpen: false });
  expect(await held(id, 'USDT')).toBe(-1_000_000n);
  expect(
    await row(books.em(), `select unarranged from accounts where owner_id = $1 and kind = 'coin'`, [id]),
  ).toEqual({ unarranged: '1000000' });
  expect((await house('custody', 'USDT')) - custody).toBeGreaterThanOrEqual(-1n);
  // what was told before is told again
  expect(await settle(deposit)).toMatchObject({ state: 'reversed', changed: false });

  const again = { ...deposit, updated_at: at(30) };
  expect(await settle({ ...again, status: 'moving', confirmations: 2, updated_at: at(25) })).toMatchObject({
    ...{ state: 'pending', isOpen: true },
  });
  expect(await settle(again)).toMatchObject({ state: 'credited', changed: true });
  expect(await settle(again)).toMatchObject({ state: 'credited', changed: false });
  expect(await held(id, 'USDT')).toBe(2_000_000n);
  expect(await broken()).toEqual([]);
});

test('a transaction that is on no chain any more is known by its id, without hash, address and amount', async () => {
  const { id, vault } = await customer();
  const nowhere = { tx_hash: null, address: null, chain_amount: '0', confirmations: 0, block_hash: null };
  expect(await note(told(vault, { ...nowhere, status: 'moving' }))).toMatchObject({ deposit: null });
  const deposit = told(vault);
  await settle(deposit);
  expect(await settle({ ...deposit, ...nowhere, status: 'failed', updated_at: at(20) })).toMatchObject({
    state: 'reversed',
    reason: null,
  });
  expect(await held(id, 'BTC')).toBe(0n);
  // it is on its way again, and then in a block
  expect(await settle({ ...deposit, ...nowhere, status: 'moving', updated_at: at(30) })).toMatchObject({
    state: 'pending',
    reason: null,
  });
  expect(await settle({ ...deposit, updated_at: at(40) })).toMatchObject({ state: 'credited' });
  expect(await held(id, 'BTC')).toBe(1_500_000n);
});

test('coins that cannot be credited to a frozen account lie in suspense, and are taken back from there', async () => {
  const { id, vault } = await customer();
  await settle(told(vault));
  await books.asOwner(`update accounts set status = 'frozen' where owner_id = $1 and kind = 'coin'`, [id]);
  const before = await house('suspense', 'BTC');
  const second = told(vault, { chain_amount: '20000' });
  expect(await settle(second)).toMatchObject({ state: 'credited' });
  expect((await house('suspense', 'BTC')) - before).toBe(20_000n);
  await settle({ ...second, status: 'failed', updated_at: at(20) });
  expect((await house('suspense', 'BTC')) - before).toBe(0n);
  expect(await held(id, 'BTC')).toBe(1_500_000n);
});

test('the program writes no deposit, and nobody rewrites one or books it twice', async () => {
  const { id, vault } = await customer();
  const { deposit } = await note(told(vault));
  for (const statement of [
    `update crypto_deposits set status = 'credited'`,
    'insert into crypto_deposit_bookings (deposit_id, seq, kind, chain_amount) select id, 1, $$credit$$, 1 from crypto_deposits',
    `update custody_poll set seen_until = now()`,
    'select coin_account(uuidv7(), $$BTC$$)',
    `select crypto_deposit_turns(d, '{credit}') from crypto_deposits d`,
  ])
    await expect(rows(books.em(), statement)).rejects.toThrow(/permission denied/);
  for (const [statement, why] of [
    [`update crypto_deposits set amount = 2 where id = $1`, /never changes/],
    [`update crypto_deposits set user_id = null where id = $1`, /never changes/],
    [`delete from crypto_deposits where id = $1`, /append-only/],
  ] as const)
    await expect(books.asOwner(statement, [deposit])).rejects.toThrow(why);
  const known = await depositKnown.one(books.em(), { deposit: CryptoDepositId.parse(deposit) });
  expect(known).toMatchObject({ userId: id, isOpen: true });
  await advance(told(vault, { custody_id: known.custodyId, updated_at: at(11) }));
  const book = (seq: number, kind: string) =>
    books.asOwner(
      'insert into crypto_deposit_bookings (deposit_id, seq, kind, chain_amount) values ($1, $2, $3, $4)',
      [deposit, seq, kind, kind === 'reversal' ? -1 : 1],
    );
  await expect(book(1, 'credit')).rejects.toThrow(/crypto_deposit_bookings_seq/);
  await expect(book(2, 'credit')).rejects.toThrow(/crypto_deposit_bookings_turns/);
  await expect(book(3, 'credit')).rejects.toThrow(/crypto_deposit_bookings_after/);
  await expect(
    books.asOwner(`update crypto_deposits set status = 'pending' where id = $1`, [deposit]),
  ).rejects.toThrow(/cannot go from/);
});

test('a deposit that nobody works on is found', async () => {
  const { vault } = await customer();
  const { deposit } = await note(told(vault, { status: 'moving' }));
  await books.asOwner(
    `update crypto_deposits set created_at = created_at - interval '1 hour' where id = $1`,
    [deposit],
  );
  const late = { lateSeconds: 1_800, most: 100, after: null };
  expect(await overdueDeposits.all(books.em(), late)).toContainEqual({ id: deposit });
});

/** Takes coins from a customer as a withdrawal does. */
async function spend(user: UserId, minor: bigint): Promise<void> {
  await books.asOwner(
    `select (ledger_post(jsonb_build_array(jsonb_build_object('id', uuidv7(), 'kind', 'adjustment',
       'source_type', 'test', 'source_id', uuidv7(), 'entries', jsonb_build_array(
         jsonb_build_object('account', a.id, 'asset', a.asset, 'amount', (-$2::numeric)::text),
         jsonb_build_object('account', house_account('custody', a.asset, a.id), 'asset', a.asset, 'amount', $2::text)))))).verdict
       from accounts a where a.owner_id = $1 and a.kind = 'coin' and a.asset = 'USDT'`,
    [user, minor.toString()],
  );
}

function permutations(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}
