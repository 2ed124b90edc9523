/** An upgrade whose workers cannot go on with the runs before it: all are terminated, and whatever waits is decided on or ends all the same. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Client, Connection } from '@temporalio/client';
import { isDeepStrictEqual } from 'node:util';
import { pino } from 'pino';
import { z } from 'zod';
import { createCipher } from '../../adapters/cipher.ts';
import { connectTemporal } from '../../adapters/temporal.ts';
import { loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { TransferId } from '../../domain/ids.ts';
import { queueName } from '../../domain/queues.ts';
import { createProcesses } from '../../services/platform/processes.ts';
import { startDueRuns } from '../../services/transfers/scheduled-runs.ts';
import { processWatch } from '../../workers/process-watch.ts';
import { TransferAnswer, type Person } from '../support/bank/bank.ts';
import {
  openDesk,
  putFile,
  supporter,
  type Desk,
  type Place,
  type UploadAnswer,
} from '../support/bank/desk.ts';
import { ChangeAnswer, checkerOf, decideOn } from '../support/bank/second-person.ts';
import { decideAs, pay, transferType } from '../support/bank/transfers.ts';
import { newKey } from '../support/client.ts';
import { files } from '../support/formats/files.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { until } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

const ZONE = 'Europe/Berlin';
const Asked = z.looseObject({ id: z.uuid() });

/** One of everything that waits with a process of its own. */
interface Waiting {
  readonly customer: Person;
  readonly from: string;
  readonly to: string;
  /** Transfers: one for an administrator, one held by a flag, one for the rail's window. */
  readonly pending: string;
  readonly held: { readonly id: string; readonly account: string };
  readonly queued: { readonly id: string; readonly type: string };
  readonly ticket: Place;
  readonly upload: UploadAnswer;
  readonly request: string;
  readonly change: ChangeAnswer;
}

let branch: Branch;
let desk: Desk;
let look: () => Promise<void>;
let close: () => Promise<unknown>;
/** What is decided on after the upgrade, and what time has ended by then. */
let decided: Waiting;
let ended: Waiting;
/** The transfer of a planned day that had not been ordered. */
let day: TransferId;
beforeAll(async () => {
  branch = await openBranch();
  await Promise.all([branch.startApi(), branch.startWorker()]);
  desk = openDesk(branch.env);
  const config = loadConfig(branch.env);
  const orm = openOrm(config);
  const em = () => orm.em.fork();
  const log = pino({ level: 'silent' });
  const temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS));
  const processes = createProcesses({ temporal, config, log, em });
  look = processWatch({ em, log, config, processes }, 0);
  close = () => Promise.all([temporal.close(), orm.close(true)]);

  await branch.bank.admin('accounts:write');
  [decided, ended] = [await waiting(), await waiting()];
  await branch.killWorker();
  day = await dayOf(ended, em, () => processes.relay('starts'));
  await terminateAll([...[decided, ended].flatMap(processesOf), `scheduled-transfer/${day}`]);
  await timeIsOver(ended);
  await branch.killApi();
  await Promise.all([branch.startApi(), branch.startWorker()]);
});
afterAll(async () => {
  await close();
  await branch.bank.expectBooksBalanced();
  await branch.close();
});

async function waiting(): Promise<Waiting> {
  const { bank } = branch;
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '100.00'), await bank.account(customer)];
  const order = async (type: string | undefined, source: string, payee: object): Promise<string> => {
    const wish = { ...(type === undefined ? {} : { type }), from: source, to: payee, amount: '4.00' };
    return (await pay(customer, wish)).as(TransferAnswer).id;
  };
  const flagged = await bank.fundedAccount(customer, '10.00');
  await bank.asOwner(`select account_flag($1, null, 'many small credits', false)`, [flagged.id]);
  const closed = await transferType(bank, { reach: 'sepa', closed: true });
  const iban = { iban: 'FR1420041010050500013M02606', name: 'Hélène Müller & Fils' };
  const ticket = await desk.open(customer);
  const upload = await desk.ask(ticket);
  expect(await putFile(upload, files.pdf)).toBe(200);
  const [type] = await bank.asOwner(`select id from account_types where code = 'business_eur'`);
  const asked = await customer.client.call('POST', '/v1/account-requests', {
    ...{ token: customer.token, key: newKey(), body: { account_type_id: type?.['id'] } },
  });
  const maker = await bank.admin('accounts:write');
  const loosened = await maker.client.call('PATCH', `/v1/admin/accounts/${from.id}/limits`, {
    token: maker.token,
    body: { overdraft_limit: { amount: '500.00', currency: 'EUR' }, reason: 'salary' },
  });
  return {
    ...{ customer, ticket, upload, from: from.id, to: to.id },
    pending: await order(await transferType(bank, { approvalAbove: 0 }), from.id, { account_id: to.id }),
    held: { id: await order(undefined, flagged.id, { account_id: to.id }), account: flagged.id },
    queued: { id: await order(closed, from.id, iban), type: closed },
    request: asked.as(Asked).id,
    change: loosened.as(ChangeAnswer),
  };
}

const processesOf = ({ pending, held, queued, ticket, upload, request, change }: Waiting): string[] => [
  ...[pending, held.id, queued.id].map((id) => `transfer/${id}`),
  ...[`ticket/${ticket.ticketId}`, `upload/${upload.document_id}`],
  ...[`account-request/${request}`, `change/${change.id}`],
];

/** A payment planned for today, whose day has begun. */
async function dayOf(
  { customer, from: funded, to }: Waiting,
  em: () => EntityManager,
  relay: () => Promise<void>,
): Promise<TransferId> {
  const { bank } = branch;
  const body = {
    source_account_id: funded,
    destination: { account_id: to },
    amount: { amount: '3.00', currency: 'EUR' },
    starts_on: new Date().toLocaleDateString('sv-SE', { timeZone: ZONE }),
  };
  const planned = await customer.client.call('POST', '/v1/scheduled-transfers', {
    ...{ token: customer.token, key: newKey(), body },
    stepUp: await customer.stepUp('createScheduledTransfer', body),
  });
  await em().transactional((tx) => startDueRuns(tx, ZONE, 1));
  await relay();
  const [run] = await bank.asOwner(
    'select transfer_id from scheduled_transfer_runs where scheduled_transfer_id = $1',
    [planned.as(Asked).id],
  );
  return TransferId.parse(run?.['transfer_id']);
}

/** Terminates all runs of the branch, as an operator does by a query; these are among them. */
async function terminateAll(workflowIds: readonly string[]): Promise<void> {
  const connection = await Connection.connect({ address: stack.temporal.address });
  const { workflow } = new Client({ connection, namespace: stack.temporal.namespace });
  const queue = queueName(loadConfig(branch.env).TEMPORAL_TASK_QUEUE, 'money');
  const query = `TaskQueue = '${queue}' and ExecutionStatus = 'Running'`;
  try {
    let running: string[] = [];
    await until(async () => {
      // not by the client, which would decode memos that are sealed
      const { executions } = await connection.workflowService.listWorkflowExecutions({
        namespace: stack.temporal.namespace,
        query,
      });
      running = executions.flatMap(({ execution }) => execution?.workflowId ?? []);
      return workflowIds.every((id) => running.includes(id));
    });
    for (const id of running) await workflow.getHandle(id).terminate('upgrade');
  } finally {
    await connection.close();
  }
}

/** For all that waits, its time is over; that the flag is cleared, nobody was told. */
async function timeIsOver({
  pending,
  held,
  queued,
  ticket,
  upload,
  request,
  change,
}: Waiting): Promise<void> {
  const { bank } = branch;
  const officer = await bank.admin('aml:review');
  await bank.asOwner(`select account_clear_flag($1, $2, 'invoices were shown')`, [held.account, officer.id]);
  await bank.asOwner('update transfer_types set cut_off = null where code = $1', [queued.type]);
  // one statement, so that it is one transaction
  await bank.asOwner(`
    do $$ begin
      alter table transfers disable trigger transfers_change;
      alter table pending_changes disable trigger pending_changes_change;
      update transfers set approve_until = now() - interval '1 minute' where id = '${pending}';
      update transfers set due_at = now() - interval '1 minute' where id = '${queued.id}';
      update pending_changes set expires_at = now() - interval '1 minute' where id = '${change.id}';
      update account_requests set expires_at = now() - interval '1 minute' where id = '${request}';
      update tickets set status = 'waiting_for_customer', last_activity_at = now() - interval '15 days'
        where id = '${ticket.ticketId}';
      update uploads set created_at = now() - interval '1 hour', expires_at = now() - interval '1 minute'
        where id = '${upload.document_id}';
      alter table transfers enable trigger transfers_change;
      alter table pending_changes enable trigger pending_changes_change;
    end $$`);
}

const transferSeen = async (id: string): Promise<unknown> =>
  (await branch.bank.asOwner('select status from transfers where id = $1', [id]))[0]?.['status'];

const postings = async (id: string): Promise<number> =>
  (await branch.bank.asOwner('select from ledger_transactions where source_id = $1', [id])).length;

describe('what was decided on after the upgrade:', () => {
  test('a transfer is approved, one is cleared of its flag, one is cancelled by its customer', async () => {
    const { pending, held, queued, customer } = decided;
    const admin = await branch.bank.admin('transfers:review', 'aml:review');
    expect(await decideAs(admin, pending, 'execute')).toMatchObject({
      status: 200,
      body: { status: 'executed', decided_by: admin.id },
    });
    const cleared = await admin.client.call('POST', `/v1/admin/accounts/${held.account}/aml-flag/clear`, {
      ...{ token: admin.token, key: newKey(), body: { reason: 'invoices were shown' } },
    });
    expect(cleared.status).toBe(200);
    await until(async () => (await transferSeen(held.id)) === 'executed');
    const cancelled = await customer.client.call('POST', `/v1/transfers/${queued.id}/cancel`, {
      ...{ token: customer.token, key: newKey(), stepUp: await customer.stepUp('cancelTransfer') },
    });
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect(await Promise.all([pending, held.id, queued.id].map(postings))).toEqual([1, 1, 0]);
  });

  test('a ticket is closed and an upload confirmed', async () => {
    const { ticket, upload } = decided;
    expect(await desk.confirm(ticket, upload)).toMatchObject({ status: 200, body: { status: 'confirmed' } });
    const support = await supporter(branch.bank);
    const closed = await desk.post(support, `/v1/admin/tickets/${ticket.ticketId}/close`, {
      reason: 'solved',
    });
    expect(closed).toMatchObject({ status: 200, body: { status: 'closed' } });
  });

  test('an account is opened and a change is applied', async () => {
    const { request, change } = decided;
    const admin = await branch.bank.admin('accounts:review');
    const opened = await admin.client.call('POST', `/v1/admin/account-requests/${request}/review`, {
      ...{ token: admin.token, key: newKey(), body: { decision: 'approve' } },
    });
    expect(opened).toMatchObject({ status: 200, body: { status: 'approved' } });
    const applied = await decideOn(await checkerOf(branch.bank, change), change, 'approve');
    expect(applied).toMatchObject({ status: 200, body: { status: 'applied' } });
  });
});

test('what time has ended meanwhile is found by the watch: each ends, and nothing is booked twice', async () => {
  const { pending, held, queued, ticket, upload, request, change } = ended;
  const { bank } = branch;
  const statusIn = async (table: string, id: string): Promise<unknown> =>
    (await bank.asOwner(`select status from ${table} where id = $1`, [id]))[0]?.['status'];
  const seen = async () => ({
    pending: await transferSeen(pending),
    held: await transferSeen(held.id),
    queued: await transferSeen(queued.id),
    day: await transferSeen(day),
    ticket: await statusIn('tickets', ticket.ticketId),
    upload: await statusIn('uploads', upload.document_id),
    request: await statusIn('account_requests', request),
    change: await statusIn('pending_changes', change.id),
  });
  const ends = {
    ...{ pending: 'expired', held: 'executed', queued: 'submitted', day: 'executed' },
    ...{ ticket: 'closed', upload: 'expired', request: 'expired', change: 'expired' },
  };
  await look();
  await until(async () => {
    await look();
    return isDeepStrictEqual(await seen(), ends);
  }, 120).catch(() => undefined);
  expect(await seen()).toEqual(ends);
  expect(await desk.holds(upload)).toBe(false);
  expect(await Promise.all([pending, held.id, queued.id, day].map(postings))).toEqual([0, 1, 1, 1]);
});
