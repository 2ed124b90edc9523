/** Whoever reaches Temporal's port, or its Web UI, without a key: starts nothing, decides nothing, and jams nothing. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  WithStartWorkflowOperation,
  WorkflowFailedError,
  WorkflowUpdateFailedError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure, type Payload } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import {
  openBank,
  TransferAnswer,
  type AccountAnswer,
  type Bank,
  type Person,
} from '../../support/bank/bank.ts';
import { newKey } from '../../support/client.ts';
import { openIntruder, type ActivityCall, type Intruder } from '../../support/processes/intruder.ts';
import { until } from '../../support/stack/processes.ts';

/** Events of a run that has begun its first task and not ended it. */
const FIRST_TASK = 4;

let bank: Bank;
let intruder: Intruder;
let [maker, checker]: Person[] = [];
let victim: Person;
let account: AccountAnswer;
/** An adjustment that was approved, with its decision in its history. */
let approved: string;
let queue: string;

beforeAll(async () => {
  bank = openBank();
  intruder = await openIntruder();
  [maker, checker] = [await bank.admin('adjustments:write'), await bank.admin('transfers:review')];
  victim = await bank.customer();
  account = await bank.fundedAccount(victim, '100.00');
  approved = await adjustment();
  // whoever decides before it waits is read from the row, and nothing is sent that could be stolen
  await until(async () => (await intruder.look(`adjustment/${approved}`)).events > FIRST_TASK);
  await execute(approved);
  queue = (await intruder.steal(`adjustment/${approved}`)).taskQueue;
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await intruder.close();
  await bank.close();
});

async function adjustment(amount = '5.00'): Promise<string> {
  const asked = await maker?.client.call('POST', '/v1/admin/adjustments', {
    token: maker.token,
    key: newKey(),
    body: {
      account_id: account.id,
      direction: 'credit',
      amount: { amount, currency: 'EUR' },
      reason: 'test',
    },
  });
  expect(asked).toMatchObject({ status: 201, body: { status: 'pending_approval' } });
  return asked?.as(TransferAnswer).id ?? '';
}

async function execute(id: string): Promise<void> {
  const answer = await checker?.client.call('POST', `/v1/admin/transfers/${id}/execute`, {
    token: checker.token,
    key: newKey(),
    body: {},
  });
  expect(answer).toMatchObject({ status: 200, body: { status: 'executed' } });
}

/** What the database knows of a transfer and of who decided it. */
async function known(id: string): Promise<unknown> {
  const [row] = await bank.asOwner(
    `select status, (select count(*)::int from audit_log a where a.subject_id = t.id::text and a.action like 'transfer.%') as decisions
       from transfers t where id = $1`,
    [id],
  );
  return row ?? null;
}

const balance = async (): Promise<string> => (await bank.look(victim, account)).balance.amount;
const decision = (kind: string) => ({ kind, by: checker?.id, role: 'admin', reason: 'mine' });

function order(id: string, kind = 'transfer'): object {
  const customerId = randomUUID();
  return {
    id,
    kind,
    type: 'internal',
    requestedBy: customerId,
    customerId,
    source: account.id,
    destination: account.id,
    asset: 'EUR',
    amount: '100',
    description: '',
  };
}

/** The type of the failure that a run ends with. */
async function failureOf(run: Promise<unknown>): Promise<unknown> {
  try {
    await run;
    return 'done';
  } catch (error) {
    if (!(error instanceof WorkflowFailedError) && !(error instanceof WorkflowUpdateFailedError)) throw error;
    const { cause } = error;
    return cause instanceof ApplicationFailure ? cause.type : cause;
  }
}

const started = (client: Client, type: string, workflowId: string, args: unknown[]) =>
  failureOf(client.workflow.execute(type, { workflowId, taskQueue: queue, args }));

test.each(['transfer', 'adjustment', 'reversal'])(
  'a plain start of %s fails and books nothing',
  async (kind) => {
    const id = randomUUID();
    const before = await balance();
    expect(await started(intruder.client, kind, `${kind}/${id}`, [order(id, kind)])).toBe('payload_refused');
    expect(await known(id)).toBeNull();
    expect(await balance()).toBe(before);
  },
);

test.each(['transfer', 'scheduledTransfers', 'accountFees', 'keyRotation', 'ledgerCheck', 'cryptoSnapshots'])(
  'a start of %s without an argument fails',
  async (type) => {
    expect(await started(intruder.client, type, `${type}/${randomUUID()}`, [])).toBe('payload_refused');
  },
);

test('an order copied from another process starts nothing', async () => {
  const { input } = await intruder.steal(`adjustment/${approved}`);
  expect(input).toHaveLength(1);
  const before = await balance();
  const run = started(intruder.sending(...input), 'adjustment', `adjustment/${randomUUID()}`, [null]);
  expect(await run).toBe('payload_refused');
  expect(await balance()).toBe(before);
});

test('a plain start together with a decision fails, and the decision with it', async () => {
  const id = randomUUID();
  const startWorkflowOperation = new WithStartWorkflowOperation('adjustment', {
    workflowId: `adjustment/${id}`,
    taskQueue: queue,
    args: [order(id, 'adjustment')],
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  const both = intruder.client.workflow.executeUpdateWithStart('decide', {
    args: [decision('execute')],
    startWorkflowOperation,
  });
  await expect(both).rejects.toThrow();
  await expect(failureOf(intruder.client.workflow.getHandle(`adjustment/${id}`).result())).resolves.toBe(
    'payload_refused',
  );
  expect(await known(id)).toBeNull();
});

/** Everything that somebody may send to a run, and with which payloads. */
const UPDATES = ['decide', 'aml_cleared', 'rail_reported', 'account_changed'];

test.each(UPDATES)(
  'the update %s is refused plain, copied and without arguments, and leaves no trace',
  async (name) => {
    const id = await adjustment();
    const workflowId = `adjustment/${id}`;
    const { decision: stolen } = await intruder.steal(`adjustment/${approved}`);
    expect(stolen).toHaveLength(1);
    const [before, seen] = [await balance(), await intruder.look(workflowId)];
    const send = (client: Client, args?: [unknown]) => {
      const handle = client.workflow.getHandle(workflowId);
      return failureOf(
        args === undefined ? handle.executeUpdate(name) : handle.executeUpdate(name, { args }),
      );
    };
    expect([
      await send(intruder.client, [decision('execute')]),
      await send(intruder.client, [decision('cancel')]),
      await send(intruder.client, [null]),
      await send(intruder.client),
      await send(intruder.sending(...stolen), [null]),
      await send(intruder.sending(...stolen.map(renamed(workflowId))), [null]),
    ]).toEqual(Array.from({ length: 6 }, () => 'payload_refused'));
    expect(await known(id)).toEqual({ status: 'pending_approval', decisions: 0 });
    expect((await intruder.look(workflowId)).accepted).toBe(seen.accepted);
    expect(await balance()).toBe(before);
    await execute(id);
    expect(await known(id)).toEqual({ status: 'executed', decisions: 1 });
  },
);

test.each(UPDATES)(
  'what was sealed for the same process on another path is not taken as the update %s',
  async (name) => {
    const id = await adjustment();
    const workflowId = `adjustment/${id}`;
    const { input } = await intruder.steal(workflowId);
    expect(input).toHaveLength(1);
    for (const payload of input) {
      const handle = intruder.sending(payload).workflow.getHandle(workflowId);
      expect(await failureOf(handle.executeUpdate(name, { args: [null] }))).toBe('payload_refused');
    }
    expect(await known(id)).toEqual({ status: 'pending_approval', decisions: 0 });
    await execute(id);
  },
);

/** A payload that claims to be for another process. */
const renamed =
  (workflowId: string) =>
  ({ metadata, data }: Payload): Payload => ({
    metadata: { ...metadata, 'sealed-for': Buffer.from(workflowId) },
    data: data ?? null,
  });

test('signals and queries do nothing, and the run still takes a decision', async () => {
  const id = await adjustment();
  await intruder.look(`adjustment/${id}`);
  const handle = intruder.client.workflow.getHandle(`adjustment/${id}`);
  for (const name of [...UPDATES, 'unheard of']) {
    await handle.signal(name, decision('execute'));
    await handle.signal(name);
    await expect(handle.query(name, decision('execute'))).rejects.toThrow();
  }
  await expect(failureOf(handle.executeUpdate('unheard of', { args: [null] }))).resolves.not.toBe('done');
  expect(await known(id)).toEqual({ status: 'pending_approval', decisions: 0 });
  await execute(id);
});

test('an activity of ours does nothing for a workflow that is not ours, and is not tried again', async () => {
  const id = await adjustment();
  const refused = { type: 'payload_refused', nonRetryable: true };
  const calls: ActivityCall[] = [
    ['carryOutStep', [id, { source: 'decision', id: randomUUID() }]],
    ['failTransfer', [id, 'decision']],
  ];
  expect(await intruder.callActivities(queue, calls)).toEqual(calls.map(() => refused));
  const housekeeping = queue.replace(/money$/, 'housekeeping');
  expect(await intruder.callActivities(housekeeping, [['rotateSigningKeysIfDue', []]])).toEqual([refused]);
  expect(await known(id)).toEqual({ status: 'pending_approval', decisions: 0 });
  await execute(id);
});
