/**
 * Temporal is away: orders and decisions are taken all the same, and each goes on once it is back. `ORDERS` and `DECISIONS` set how many
 * wait.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TransferAnswer, type Person } from '../support/bank/bank.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { approvalRunsOut } from '../support/bank/decisions.ts';
import { decideAs, pay, transferType } from '../support/bank/transfers.ts';
import { TransferId } from '../../domain/ids.ts';
import { railType } from '../support/bank/movements.ts';
import { newKey, patiently } from '../support/client.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { openGate, type Gate } from '../support/stack/gate.ts';
import { SOON_MS, until } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

const ORDERS = Number(process.env['ORDERS'] ?? 40);
const DECISIONS = Number(process.env['DECISIONS'] ?? 40);
const ORDERS_AT_ONCE = 8;
/** A decision waits for Temporal as long as its caller may be kept waiting. */
const DECISIONS_AT_ONCE = 40;
const TIME_LIMIT_MS = 120_000 + (ORDERS + DECISIONS) * 2_000;

let branch: Branch;
let books: Books;
let temporal: Gate;
let payer: Person;
beforeAll(async () => {
  temporal = await openGate(new URL(`tcp://${stack.serviceEnv['TEMPORAL_ADDRESS'] ?? ''}`));
  branch = await openBranch({ settings: { TEMPORAL_ADDRESS: `127.0.0.1:${String(temporal.port)}` } });
  await Promise.all([branch.startApi(), branch.startWorker()]);
  books = openBooks({
    url: branch.env['DATABASE_URL'] ?? '',
    ownerUrl: branch.env['DATABASE_OWNER_URL'] ?? '',
  });
  payer = await branch.bank.customer();
});
afterAll(async () => {
  temporal.open();
  await branch.bank.expectBooksBalanced();
  await books.close();
  await branch.close();
  await temporal.close();
});

async function count(sql: string, parameters: unknown[] = []): Promise<number> {
  return Number((await books.asOwner(`select count(*) ${sql}`, parameters))[0]?.['count']);
}

/** Gives so many orders, some at once, each of which must be accepted at its first call. */
async function order(amount: number, give: () => ReturnType<typeof pay>): Promise<string[]> {
  const ids: string[] = [];
  await someAtOnce(ORDERS_AT_ONCE, [...Array(amount).keys()], async (place) => {
    const answer = await give();
    expect(answer.status).toBe(201);
    ids[place] = answer.as(TransferAnswer).id;
  });
  return ids;
}

async function someAtOnce<Item>(
  most: number,
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const inTurn = async (): Promise<void> => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: most }, inTurn));
}

test(
  'orders that must wait are accepted while Temporal is away, and each goes on once when it is back',
  async () => {
    const type = await railType(books);
    const [from, to] = [await books.account(payer.id), await books.account(payer.id)];
    await books.fund(from, BigInt(ORDERS) * 200n);
    const iban = { iban: 'FR1420041010050500013M02606', name: 'Hélène Müller & Fils' };
    temporal.shut();
    const outward = await order(ORDERS, () => pay(payer, { type, from, to: iban, amount: '1.00' }));
    const inside = await order(10, () =>
      branch.bank.transfer(payer, { from, to, amount: '1.00', key: newKey() }),
    );
    expect(await count(`from transfers where id = any ($1) and status = 'executed'`, [inside])).toBe(10);
    expect(await count(`from transfers where id = any ($1) and status = 'submitted'`, [outward])).toBe(
      ORDERS,
    );
    expect(await count('from rail_payments')).toBe(0);
    expect(await count(`from process_outbox where process = 'transfer'`)).toBe(ORDERS);

    temporal.open();
    await until(
      async () => (await count('from rail_payments where delivered_at is not null')) === ORDERS,
      60 + ORDERS,
    );
    expect(await count('from process_outbox')).toBe(0);
    const payments = await books.asOwner('select transfer_id from rail_payments');
    expect(payments.map((payment) => payment['transfer_id']).toSorted()).toEqual(outward.toSorted());
    expect(
      await count('from ledger_transactions where source_id = any ($1)', [[...outward, ...inside]]),
    ).toBe(ORDERS + 10);
  },
  TIME_LIMIT_MS,
);

test('decisions are accepted while Temporal is away: one for each transfer, and it is carried out once', async () => {
  const type = await transferType(books, { approvalAbove: 0 });
  const [from, to] = [await books.account(payer.id), await books.account(payer.id)];
  await books.fund(from, 1_000n);
  const asked = await pay(payer, { type, from, to: { account_id: to }, amount: '1.00' });
  const { id } = asked.as(TransferAnswer);
  const [first, second] = [
    await branch.bank.admin('transfers:review'),
    await branch.bank.admin('transfers:review'),
  ];
  temporal.shut();
  const key = newKey();
  const execute = (admin: Person, its = newKey()) =>
    admin.client.call('POST', `/v1/admin/transfers/${id}/execute`, {
      token: admin.token,
      key: its,
      body: {},
    });
  const accepted = await execute(first, key);
  expect(accepted).toMatchObject({
    status: 200,
    body: { status: 'pending_approval', decision: { kind: 'execute', by: first.id, state: 'accepted' } },
  });
  expect((await execute(second)).body).toMatchObject({
    ...{ status: 409, code: 'transfer_not_pending', transfer_status: 'pending_approval' },
    ...{ decision: 'execute', decided_by: first.id, decided_at: expect.any(String) },
  });
  expect(await books.balance(to)).toEqual({ posted: 0n, held: 0n });
  temporal.open();
  await until(async () => (await books.balance(to)).posted === 100n);
  // the repeat is answered as it is now
  expect((await execute(first, key)).body).toMatchObject({
    status: 'executed',
    decision: { kind: 'execute', by: first.id, state: 'done' },
  });
  expect(await count('from ledger_transactions where source_id = $1', [id])).toBe(1);
  expect(await count('from process_updates')).toBe(0);
});

test('a flag that holds many transfers is cleared at once while Temporal is away, and each goes on once it is back', async () => {
  const [from, to] = [await books.account(payer.id), await books.account(payer.id)];
  await books.fund(from, 1_200n);
  await books.asOwner(`select account_flag($1, null, 'many small credits', false)`, [from]);
  await order(12, () => branch.bank.transfer(payer, { from, to, amount: '1.00', key: newKey() }));
  await until(async () => (await count(`from process_outbox where process = 'transfer'`)) === 0);
  const officer = await branch.bank.admin('aml:review');
  temporal.shut();
  const begun = performance.now();
  const cleared = await officer.client.call('POST', `/v1/admin/accounts/${from}/aml-flag/clear`, {
    token: officer.token,
    key: newKey(),
    body: { reason: 'invoices were shown' },
  });
  expect(cleared.status).toBe(200);
  expect(performance.now() - begun).toBeLessThan(SOON_MS);
  // each of them has to hear of it; one that had just begun may have seen it by itself
  expect(await count('from process_updates')).toBe(12);
  temporal.open();
  await until(async () => (await books.balance(to)).posted === 1_200n);
  await until(async () => (await count('from process_updates')) === 0);
}, 300_000);

test(
  'orders and the decisions on them are accepted in one outage, and each is carried out once when it is over',
  async () => {
    const type = await transferType(books, { approvalAbove: 0 });
    const [from, to] = [await books.account(payer.id), await books.account(payer.id)];
    await books.fund(from, BigInt(DECISIONS) * 100n);
    const admin = await branch.bank.admin('transfers:review');
    temporal.shut();
    const ids = await order(DECISIONS, () =>
      pay(payer, { type, from, to: { account_id: to }, amount: '1.00' }),
    );
    expect(await books.balance(from)).toEqual({
      posted: BigInt(DECISIONS) * 100n,
      held: BigInt(DECISIONS) * 100n,
    });
    await someAtOnce(DECISIONS_AT_ONCE, [...ids.entries()], async ([place, id]) => {
      const [kind, body] = place % 2 === 0 ? ['execute', {}] : ['reject', { reason: 'not known' }];
      const key = newKey();
      expect(await patiently(() => decideAs(admin, id, kind, body, key))).toMatchObject({
        status: 200,
        body: { status: 'pending_approval', decision: { kind, by: admin.id, state: 'accepted' } },
      });
    });
    expect(await count('from process_updates')).toBe(DECISIONS);

    temporal.open();
    const ended = `from transfers where id = any ($1) and status in ('executed', 'rejected')`;
    await until(async () => (await count(ended, [ids])) === DECISIONS, 60 + DECISIONS);
    const executed = ids.filter((_, place) => place % 2 === 0);
    expect(await count(`from transfers where id = any ($1) and status = 'executed'`, [executed])).toBe(
      executed.length,
    );
    const booked = await books.asOwner(
      'select source_id from ledger_transactions where source_id = any ($1)',
      [ids],
    );
    expect(booked.map(({ source_id: id }) => id).toSorted()).toEqual(executed.toSorted());
    expect(await books.balance(to)).toEqual({ posted: BigInt(executed.length) * 100n, held: 0n });
    expect((await books.balance(from)).held).toBe(0n);
    await until(async () => (await count('from process_updates')) === 0, 60 + DECISIONS);
    await until(async () => (await count('from process_outbox')) === 0);
  },
  TIME_LIMIT_MS,
);

test('an approval after its time is refused as expired, though nobody could expire the transfer yet', async () => {
  const type = await transferType(books, { approvalAbove: 0 });
  const [from, to] = [await books.account(payer.id), await books.account(payer.id)];
  await books.fund(from, 100n);
  const asked = await pay(payer, { type, from, to: { account_id: to }, amount: '1.00' });
  const id = TransferId.parse(asked.as(TransferAnswer).id);
  const admin = await branch.bank.admin('transfers:review');
  temporal.shut();
  await approvalRunsOut(books, id);
  expect(await decideAs(admin, id, 'execute')).toMatchObject({
    status: 409,
    body: { code: 'transfer_not_pending', transfer_status: 'expired' },
  });
  temporal.open();
  expect(await count('from transfer_decisions where transfer_id = $1', [id])).toBe(0);
  expect(await books.balance(to)).toEqual({ posted: 0n, held: 0n });
});
