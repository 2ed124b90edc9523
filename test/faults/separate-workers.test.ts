/** Each task queue has a worker service of its own, as docker-compose.yml lets them run: one that is gone stops its own work and no other. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { queueName, queues, type Queue } from '../../domain/queues.ts';
import type { Child } from '../../tools/devstack/process/child.ts';
import { TransferAnswer, type AccountAnswer, type Person } from '../support/bank/bank.ts';
import { openDesk, putFile } from '../support/bank/desk.ts';
import { decideAs, pay, transferType } from '../support/bank/transfers.ts';
import { newKey } from '../support/client.ts';
import { files } from '../support/formats/files.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { startService, until, untilPolling } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

const IBAN = { iban: 'FR1420041010050500013M02606', name: 'Hélène Müller & Fils' };

/** What the worker of the compose file serves: the variable that says it, and its default. */
function servedByCompose(): { readonly variable: string; readonly all: readonly string[] } {
  const file = readFileSync(join(import.meta.dirname, '..', '..', 'docker-compose.yml'), 'utf8');
  const [, variable = '', all = ''] = /^ +WORKER_QUEUES: \$\{(\w+):-([\w,]+)\}$/m.exec(file) ?? [];
  return { variable, all: all.split(',') };
}

let branch: Branch;
const workers = new Map<Queue, Child>();
let customer: Person;
let admin: Person;
let from: AccountAnswer;
let to: AccountAnswer;
/** Every transfer of this type waits for an administrator. */
let held: string;

async function start(queue: Queue): Promise<void> {
  const env = { ...branch.env, [servedByCompose().variable]: queue };
  const worker = await startService(`worker-of-${queue}`, 'workers/main.ts', env);
  workers.set(queue, worker);
  await untilPolling(env, worker);
}

beforeAll(async () => {
  branch = await openBranch();
  await branch.startApi();
  for (const queue of queues) await start(queue);
  [customer, admin] = [await branch.bank.customer(), await branch.bank.admin('transfers:review')];
  [from, to] = [await branch.bank.fundedAccount(customer, '100.00'), await branch.bank.account(customer)];
  held = await transferType(branch.bank, { approvalAbove: 0 });
});
afterAll(async () => {
  await branch.bank.expectBooksBalanced();
  await Promise.all([...workers.values()].map((worker) => worker.stop()));
  await branch.close();
});

const kill = async (queue: Queue): Promise<void> => workers.get(queue)?.kill();

async function waiting(): Promise<string> {
  const asked = await pay(customer, { type: held, from: from.id, to: { account_id: to.id }, amount: '1.00' });
  expect(asked.body).toMatchObject({ status: 'pending_approval' });
  return asked.as(TransferAnswer).id;
}

const column = async (sql: string, id: string): Promise<unknown> =>
  Object.values((await branch.bank.asOwner(sql, [id]))[0] ?? {})[0];
const statusOf = (id: string) => column('select status from transfers where id = $1', id);

test('the compose file lets a service of the worker serve some of the queues, and one alone serves all', () => {
  expect(servedByCompose()).toEqual({ variable: 'WORKER_QUEUES', all: [...queues] });
});

test('a worker service asks for the work of its own queue and of no other', async () => {
  const connection = await Connection.connect({ address: stack.temporal.address });
  const pidOf = (queue: Queue): string => `${String(workers.get(queue)?.pid)}@`;
  try {
    for (const queue of queues) {
      const { pollers } = await connection.workflowService.describeTaskQueue({
        namespace: stack.temporal.namespace,
        taskQueue: { name: queueName(branch.env['TEMPORAL_TASK_QUEUE'] ?? '', queue) },
        // temporal.api.enums.v1.TaskQueueType: activities
        taskQueueType: 2,
      });
      const asking = queues.filter((served) =>
        pollers.some(({ identity }) => identity?.startsWith(pidOf(served))),
      );
      expect(asking).toEqual([queue]);
    }
  } finally {
    await connection.close();
  }
});

test('without the service of housekeeping decisions, payments and uploads go on', async () => {
  await kill('housekeeping');
  expect(await decideAs(admin, await waiting(), 'execute')).toMatchObject({
    status: 200,
    body: { status: 'executed' },
  });
  const desk = openDesk(branch.env);
  const place = await desk.open(customer);
  const upload = await desk.ask(place);
  expect(await putFile(upload, files.pdf)).toBe(200);
  expect(await desk.confirm(place, upload)).toMatchObject({ status: 200, body: { status: 'confirmed' } });
  await start('housekeeping');
});

test('without the service of the outside decisions go on, and payments to other banks wait for it', async () => {
  await kill('outside');
  const type = await transferType(branch.bank, { reach: 'sepa' });
  const outward = await pay(customer, { type, from: from.id, to: IBAN, amount: '1.00' });
  expect(outward.body).toMatchObject({ status: 'submitted' });
  expect(await decideAs(admin, await waiting(), 'execute')).toMatchObject({
    status: 200,
    body: { status: 'executed' },
  });
  const { id } = outward.as(TransferAnswer);
  const given = () => column('select delivered_at from rail_payments where transfer_id = $1', id);
  expect(await given()).toBeFalsy();
  await start('outside');
  await until(async () => Boolean(await given()));
});

test('without the service of money decisions are accepted, and carried out once it is back', async () => {
  const id = await waiting();
  await kill('money');
  expect(await decideAs(admin, id, 'execute')).toMatchObject({
    status: 200,
    body: { status: 'pending_approval', decision: { state: 'accepted' } },
  });
  const instant = { from: from.id, to: to.id, amount: '1.00', key: newKey() };
  expect((await branch.bank.transfer(customer, instant)).body).toMatchObject({ status: 'executed' });
  await start('money');
  await until(async () => (await statusOf(id)) === 'executed');
});
