/** Temporal is away: orders are taken all the same, and each goes on once it is back. `ORDERS` sets how many wait. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TransferAnswer, type Person } from '../support/bank/bank.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { pay, transferType } from '../support/bank/transfers.ts';
import { railType } from '../support/bank/movements.ts';
import { newKey } from '../support/client.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { openGate, type Gate } from '../support/stack/gate.ts';
import { until } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

const ORDERS = Number(process.env['ORDERS'] ?? 40);
const AT_ONCE = 8;
const TIME_LIMIT_MS = 120_000 + ORDERS * 2_000;

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
}, 120_000);
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
  const giveInTurn = async (): Promise<void> => {
    while (ids.length < amount) {
      const place = ids.push('') - 1;
      const answer = await give();
      expect(answer.status).toBe(201);
      ids[place] = answer.as(TransferAnswer).id;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, giveInTurn));
  return ids;
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
  await until(async () => (await books.balance(to)).posted === 100n, 60);
  // the repeat is answered as it is now
  expect((await execute(first, key)).body).toMatchObject({
    status: 'executed',
    decision: { kind: 'execute', by: first.id, state: 'done' },
  });
  expect(await count('from ledger_transactions where source_id = $1', [id])).toBe(1);
  expect(await count('from process_updates')).toBe(0);
}, 120_000);
