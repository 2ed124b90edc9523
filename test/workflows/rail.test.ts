/** Payments that leave the bank, from the order to the bank's last word: real worker, sandbox rail, process and books. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { z } from 'zod';
import { createCipher } from '../../adapters/cipher.ts';
import { createProcesses, type Processes } from '../../services/platform/processes.ts';
import { connectTemporal, type Temporal } from '../../adapters/temporal.ts';
import { loadConfig } from '../../config.ts';
import type { TransferId } from '../../domain/ids.ts';
import { railIdOf, type RailPayment, type RailReport } from '../../domain/transfers/rail.ts';
import type { TransferOrder } from '../../domain/transfers/transfers.ts';
import { reported } from '../support/bank/decisions.ts';
import { reportHandler } from '../../workers/rail-round.ts';
import { railWatch } from '../../workers/rail-watch.ts';
import { transferProcess } from '../../workflows/transfer/process.ts';
import { openOrders } from '../support/bank/orders.ts';
import { beginMovement } from '../support/processes/begin-movement.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { until } from '../support/stack/processes.ts';
import { openRailPayer, type RailPayer } from '../support/bank/rail-payer.ts';
import { ownBank, SHARED } from '../support/stack/database.ts';
import { stack } from '../support/stack/stack.ts';

const FUNDS = 10_000_000n;
const AMOUNT = 12_345n;
const config = loadConfig(stack.serviceEnv);
const Row = z.object({
  status: z.string(),
  failure_code: z.string().nullable(),
  return_code: z.string().nullable(),
});

let books: Books;
let payer: RailPayer;
let temporal: Temporal;
let processes: Processes;
const alerts: string[] = [];
const log = pino(
  { level: 'error' },
  { write: (line: string) => void alerts.push(String(z.looseObject({}).parse(JSON.parse(line))['alert'])) },
);

beforeAll(async () => {
  // the shared bank: its worker and its sandbox rail carry the payments
  books = openBooks(SHARED);
  payer = await openRailPayer(books, FUNDS);
  temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS), []);
  processes = createProcesses({ temporal, config, log, em: books.em });
});
afterAll(async () => {
  await temporal.close();
  await books.close();
});

async function transfer(id: TransferId): Promise<z.output<typeof Row>> {
  const [found] = await books.asOwner(
    'select status, failure_code, return_code from transfers where id = $1',
    [id],
  );
  return Row.parse(found);
}

async function pay(remittance: string): Promise<TransferOrder> {
  const order = payer.order(AMOUNT, remittance);
  expect(await beginMovement(books, processes, order)).toEqual({ status: 'submitted' });
  return order;
}

const becomes = (id: TransferId, status: string) => until(async () => (await transfer(id)).status === status);
const handled = (id: TransferId, count: number) =>
  until(async () => {
    const [row] = await books.asOwner(
      'select count(*)::int as n from rail_messages where transfer_id = $1 and handled_at is not null',
      [id],
    );
    return row?.['n'] === count;
  });

/** How the house accounts of transit stand after the entries of one transfer, by role. */
async function transit(id: TransferId): Promise<Record<string, unknown>> {
  const found = await books.asOwner(
    `select a.role, sum(e.amount)::text as sum from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
       join accounts a on a.id = e.account_id and a.kind = 'house' where t.source_id = $1 group by a.role`,
    [id],
  );
  return Object.fromEntries(found.map((row) => [String(row['role']), row['sum']]));
}

test('a payment is settled: the money has left the bank, and the process ends', async () => {
  const { posted } = await books.balance(payer.account);
  const { id } = await pay('Invoice 1');
  await becomes(id, 'executed');
  await handled(id, 2);
  expect((await books.balance(payer.account)).posted).toBe(posted - AMOUNT);
  expect(await transit(id)).toEqual({ clearing: '0', nostro: AMOUNT.toString() });
  const run = temporal.client.workflow.getHandle(transferProcess.workflowId(id));
  await expect(run.result()).resolves.toMatchObject({ status: 'executed' });
});

test('a payment that the rail refuses puts the money back', async () => {
  const { posted } = await books.balance(payer.account);
  const { id } = await pay('sandbox: reject AC06');
  await becomes(id, 'failed');
  expect(await transfer(id)).toMatchObject({ failure_code: 'rail_refused', return_code: 'AC06' });
  expect(await books.balance(payer.account)).toEqual({ posted, held: 0n });
  expect(await transit(id)).toEqual({ clearing: '0' });
});

test('a payment that comes back instead of being settled puts the money back', async () => {
  const { posted } = await books.balance(payer.account);
  const { id } = await pay('sandbox: return MD07');
  await becomes(id, 'returned');
  expect(await transfer(id)).toMatchObject({ return_code: 'MD07' });
  expect((await books.balance(payer.account)).posted).toBe(posted);
  expect(await transit(id)).toEqual({ clearing: '0' });
});

test('a payment that comes back after its process has ended puts the money back, and says who did', async () => {
  const { posted } = await books.balance(payer.account);
  const { id } = await pay('sandbox: return-late AC04');
  // a busy worker may read the settlement and the return in one round
  await becomes(id, 'returned');
  await handled(id, 3);
  expect(await transfer(id)).toMatchObject({ return_code: 'AC04' });
  expect((await books.balance(payer.account)).posted).toBe(posted);
  expect(Object.values(await transit(id)).every((sum) => sum === '0')).toBe(true);
  expect(
    await books.asOwner(
      `select actor_role, action from audit_log where subject_id = $1 and action = 'transfer.returned'`,
      [id],
    ),
  ).toEqual([{ actor_role: 'system', action: 'transfer.returned' }]);
});

test.each(['sandbox: twice', 'sandbox: unordered'])(
  'what the bank says with "%s" settles it once',
  async (text) => {
    const { posted } = await books.balance(payer.account);
    const { id } = await pay(text);
    await becomes(id, 'executed');
    await handled(id, 2);
    expect((await books.balance(payer.account)).posted).toBe(posted - AMOUNT);
    expect(await transit(id)).toEqual({ clearing: '0', nostro: AMOUNT.toString() });
  },
);

test('a payment of which the bank says nothing stays submitted, in sight of operators', async () => {
  const { id } = await pay('sandbox: silent');
  await until(async () => {
    const [row] = await books.asOwner('select delivered_at from rail_payments where transfer_id = $1', [id]);
    return row?.['delivered_at'] instanceof Date;
  });
  expect(await transfer(id)).toMatchObject({ status: 'submitted' });
  const { status } = await temporal.client.workflow.getHandle(transferProcess.workflowId(id)).describe();
  expect(status.name).toBe('RUNNING');
});

/** Brings a report as a worker does: it is written down first. */
async function bring(report: RailReport): Promise<void> {
  await reported(books, report);
  await reportHandler({ processes, em: books.em, log })(report);
}

const about = (transferId: TransferId): Pick<RailReport, 'messageId' | 'transferId' | 'at'> => ({
  messageId: `test/${randomUUID()}`,
  transferId,
  at: new Date().toISOString(),
});

test('the same report brought by two workers at once, and by hand again, moves the money once', async () => {
  const { posted } = await books.balance(payer.account);
  const { id } = await pay('sandbox: silent');
  const settled = { ...about(id), kind: 'settled' } as const;
  await Promise.all([bring(settled), bring(settled), bring(settled)]);
  await bring(settled);
  await bring({ ...settled, messageId: `test/${randomUUID()}` });
  expect(await transfer(id)).toMatchObject({ status: 'executed' });
  expect((await books.balance(payer.account)).posted).toBe(posted - AMOUNT);
  expect(await transit(id)).toEqual({ clearing: '0', nostro: AMOUNT.toString() });
});

test('settled and returned at the same moment: the money is back, whoever was first', async () => {
  const { posted } = await books.balance(payer.account);
  const { id } = await pay('sandbox: silent');
  await Promise.all([
    bring({ ...about(id), kind: 'settled' }),
    bring({ ...about(id), kind: 'returned', code: 'AC04' }),
  ]);
  expect(await transfer(id)).toMatchObject({ status: 'returned' });
  expect((await books.balance(payer.account)).posted).toBe(posted);
});

test('a report that the state of the transfer excludes changes nothing and raises an alert', async () => {
  const { id } = await pay('sandbox: reject AC04');
  await becomes(id, 'failed');
  const { posted } = await books.balance(payer.account);
  alerts.length = 0;
  await bring({ ...about(id), kind: 'settled' });
  expect(alerts).toEqual(['rail_report_unfit']);
  expect(await transfer(id)).toMatchObject({ status: 'failed' });
  expect((await books.balance(payer.account)).posted).toBe(posted);
});

test('a transfer whose process was lost is settled all the same', async () => {
  const order = payer.order(AMOUNT, 'sandbox: silent');
  await openOrders(books).submit(order);
  await bring({ ...about(order.id), kind: 'settled' });
  expect(await transfer(order.id)).toMatchObject({ status: 'executed' });
});

/** A payment in a bank of its own: in the shared one the standing worker starts its process, which gives it to the rail. */
async function unstarted(): Promise<{ alone: Books; order: TransferOrder }> {
  const alone = openBooks(await ownBank());
  const order = (await openRailPayer(alone, FUNDS)).order(AMOUNT);
  await openOrders(alone).submit(order);
  return { alone, order };
}

test('a payment whose process died before it was given over is given over by the watch', async () => {
  const { alone, order } = await unstarted();
  const given: TransferId[] = [];
  const rail = { submit: async ({ transferId }: RailPayment) => void given.push(transferId) };
  const look = (lateSeconds: number) =>
    railWatch({ rail, em: alone.em, log }, { lateSeconds, silentSeconds: 3_600 })();
  await look(60);
  expect(given).not.toContain(order.id);
  await look(0);
  expect(given).toContain(order.id);
  await alone.close();
});

test('a payment that the rail has not answered for days raises an alert', async () => {
  const { alone, order } = await unstarted();
  await alone.asOwner(
    `insert into rail_payments (transfer_id, message_id, asset, amount, delivered_at)
       values ($1, $2, 'EUR', $3, now() - interval '5 days')`,
    [order.id, railIdOf(order.id), AMOUNT.toString()],
  );
  alerts.length = 0;
  const rail = { submit: () => Promise.resolve() };
  await railWatch({ rail, em: alone.em, log }, { lateSeconds: 3_600, silentSeconds: 4 * 24 * 3_600 })();
  expect(alerts).toContain('rail_payments_unanswered');
  await alone.close();
});
