/** Every path on which the pinned SDK sends a payload, and the process that it is sealed for there. */
import { expect, test } from '@jest/globals';
import { activityInfo, CompleteAsyncError, Context } from '@temporalio/activity';
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { dataConverter, sealedUpdates } from '../../adapters/temporal.ts';
import { createCipher } from '../../adapters/cipher.ts';
import { bundleWorkflows } from '../../workers/bundle.ts';
import { refuseUnsealed } from '../../activities/seals.ts';
import { ask, everyPath, look, tell } from '../support/processes/seals/every-path.ts';
import '../support/processes/quiet-runtime.ts';
import { watched, type Seals } from '../support/processes/seals/wire.ts';
import { stack } from '../support/stack/stack.ts';
import { until } from '../support/stack/processes.ts';

const ID = `paths/${randomUUID()}`;
const converter = dataConverter(createCipher([`test:${Buffer.alloc(32, 'paths').toString('base64')}`]));
const seals: Seals = new Map();
const waiting: Uint8Array[] = [];

const activities = {
  async work(input: string): Promise<string> {
    const info = activityInfo();
    const { attempt, isLocal } = info;
    if (!isLocal) Context.current().heartbeat('so far');
    if (attempt === 1) throw ApplicationFailure.retryable('again', 'no', 'a detail');
    if (!isLocal) expect(info.heartbeatDetails).toBe('so far');
    return input;
  },
  async fail(): Promise<string> {
    throw ApplicationFailure.nonRetryable('a reason', 'no', 'a detail');
  },
  async answeredLater(): Promise<string> {
    waiting.push(activityInfo().taskToken);
    throw new CompleteAsyncError();
  },
};

const NAMES: Readonly<Record<string, string>> = {
  [ID]: 'process',
  [`${ID}/child`]: 'child',
  [`${ID}/child/failing`]: 'failing child',
  [`${ID}/other`]: 'other',
  [`${ID}/schedule`]: 'schedule',
};

/** No process takes these: an activity that is answered by its token alone ends its run. We send neither. */
const KNOWN_UNBOUND = [
  'activityTaskCompleted.result.payloads',
  'createSchedule > memo.fields.note',
  'describeSchedule < memo.fields.note',
  'respondActivityTaskCompleted > result.payloads',
];

/** Requests are `method >`, answers `method <`, all others are of histories. `PLAIN` is what the SDK's core notes for itself. */
const SEALED_FOR: Readonly<Record<string, string>> = {
  'activityTaskCompleted.result.payloads': 'UNBOUND, process',
  'activityTaskFailed.failure.applicationFailureInfo.details.payloads': 'process',
  'activityTaskFailed.failure.encodedAttributes': 'process',
  'activityTaskScheduled.input.payloads': 'process',
  'activityTaskStarted.lastFailure.applicationFailureInfo.details.payloads': 'process',
  'activityTaskStarted.lastFailure.encodedAttributes': 'process',
  'childWorkflowExecutionCompleted.result.payloads': 'child',
  'childWorkflowExecutionFailed.failure.applicationFailureInfo.details.payloads': 'failing child',
  'childWorkflowExecutionFailed.failure.encodedAttributes': 'failing child',
  'createSchedule > schedule.action.startWorkflow.input.payloads': 'schedule',
  'createSchedule > schedule.action.startWorkflow.memo.fields.note': 'schedule',
  'createSchedule > schedule.action.startWorkflow.userMetadata.details': 'schedule',
  'createSchedule > schedule.action.startWorkflow.userMetadata.summary': 'schedule',
  'describeSchedule < schedule.action.startWorkflow.input.payloads': 'schedule',
  'describeSchedule < schedule.action.startWorkflow.memo.fields.note': 'schedule',
  'describeSchedule < schedule.action.startWorkflow.userMetadata.details': 'schedule',
  'describeSchedule < schedule.action.startWorkflow.userMetadata.summary': 'schedule',
  'createSchedule > memo.fields.note': 'UNBOUND',
  'describeSchedule < memo.fields.note': 'UNBOUND',
  'markerRecorded.details.data.payloads': 'PLAIN json/plain',
  'respondActivityTaskCompleted > result.payloads': 'UNBOUND',
  'describeWorkflowExecution < executionConfig.userMetadata.details': 'process',
  'describeWorkflowExecution < executionConfig.userMetadata.summary': 'process',
  'describeWorkflowExecution < workflowExecutionInfo.memo.fields.changed': 'process',
  'describeWorkflowExecution < workflowExecutionInfo.memo.fields.note': 'process',
  'executeMultiOperation < responses.updateWorkflow.outcome.success.payloads': 'other',
  'executeMultiOperation > operations.startWorkflow.input.payloads': 'other',
  'executeMultiOperation > operations.startWorkflow.memo.fields.note': 'other',
  'executeMultiOperation > operations.startWorkflow.userMetadata.details': 'other',
  'executeMultiOperation > operations.startWorkflow.userMetadata.summary': 'other',
  'executeMultiOperation > operations.updateWorkflow.request.input.args.payloads': 'other',
  'markerRecorded.details.result.payloads': 'process',
  'markerRecorded.failure.applicationFailureInfo.details.payloads': 'process',
  'markerRecorded.failure.encodedAttributes': 'process',
  'queryWorkflow < queryResult.payloads': 'other, process',
  'queryWorkflow > query.queryArgs.payloads': 'process',
  'recordActivityTaskHeartbeatById > details.payloads': 'process',
  'respondActivityTaskCompletedById > result.payloads': 'process',
  'signalExternalWorkflowExecutionInitiated.input.payloads': 'child',
  'signalWithStartWorkflowExecution > input.payloads': 'process',
  'signalWithStartWorkflowExecution > memo.fields.note': 'process',
  'signalWithStartWorkflowExecution > signalInput.payloads': 'process',
  'signalWithStartWorkflowExecution > userMetadata.details': 'process',
  'signalWithStartWorkflowExecution > userMetadata.summary': 'process',
  'signalWorkflowExecution > input.payloads': 'process',
  'startChildWorkflowExecutionInitiated.input.payloads': 'child, failing child',
  'startChildWorkflowExecutionInitiated.memo.fields.note': 'child',
  'startWorkflowExecution > input.payloads': 'process',
  'startWorkflowExecution > memo.fields.note': 'process',
  'startWorkflowExecution > userMetadata.details': 'process',
  'startWorkflowExecution > userMetadata.summary': 'process',
  'updateWorkflowExecution < outcome.failure.applicationFailureInfo.details.payloads': 'process',
  'updateWorkflowExecution < outcome.failure.encodedAttributes': 'process',
  'updateWorkflowExecution < outcome.success.payloads': 'process',
  'updateWorkflowExecution > request.input.args.payloads': 'process',
  'userMetadata.details': 'child, other, process, schedule',
  'userMetadata.summary': 'child, other, process, schedule',
  'workflowExecutionCompleted.result.payloads': 'child, schedule',
  'workflowExecutionContinuedAsNew.input.payloads': 'process',
  'workflowExecutionContinuedAsNew.memo.fields.note': 'process',
  'workflowExecutionFailed.failure.applicationFailureInfo.details.payloads': 'failing child',
  'workflowExecutionFailed.failure.encodedAttributes': 'failing child, process',
  'workflowExecutionSignaled.input.payloads': 'child, process',
  'workflowExecutionStarted.input.payloads': 'child, failing child, other, process, schedule',
  'workflowExecutionStarted.memo.fields.note': 'child, other, process, schedule',
  'workflowExecutionUpdateAccepted.acceptedRequest.input.args.payloads': 'other, process',
  'workflowExecutionUpdateCompleted.outcome.success.payloads': 'other, process',
  'workflowPropertiesModified.upsertedMemo.fields.changed': 'process',
};

test('every payload is sealed for the process that it belongs to', async () => {
  const { address, namespace } = stack.temporal;
  const [native, connection] = [
    await NativeConnection.connect({ address }),
    watched(await Connection.connect({ address }), seals),
  ];
  const client = new Client({
    connection,
    namespace,
    dataConverter: converter,
    interceptors: { workflow: [sealedUpdates] },
  });
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue: ID,
    dataConverter: converter,
    activities,
    interceptors: { activity: [() => ({ inbound: refuseUnsealed })] },
    workflowBundle: await bundleWorkflows(
      fileURLToPath(new URL('../support/processes/seals/every-path.ts', import.meta.url)),
    ),
  });
  await worker.runUntil(takeEveryPath(client));
  await Promise.all([connection.close(), native.close()]);
  const unbound = [...seals].flatMap(([path, ids]) => (ids.has('UNBOUND') ? [path] : []));
  expect(unbound.toSorted()).toEqual(KNOWN_UNBOUND);
  expect(Object.fromEntries([...seals].map(([path, ids]) => [path, named(ids)]))).toEqual(SEALED_FOR);
});

async function takeEveryPath(client: Client): Promise<void> {
  const options = {
    workflowId: ID,
    taskQueue: ID,
    memo: { note: 'a memo' },
    staticSummary: 's',
    staticDetails: 'd',
  };
  const handle = await client.workflow.start(everyPath, { ...options, args: [false] });
  await handle.executeUpdate(ask, { args: ['answered'] });
  await handle.executeUpdate(ask, { args: ['refused'] }).catch(() => undefined);
  await handle.query(look, 'answered');
  await handle.signal(tell, 'go on');
  await until(async () => waiting.length > 0);
  const { events } = await handle.fetchHistory();
  const scheduled = events?.findLast((event) => event.activityTaskScheduledEventAttributes);
  const activityId = scheduled?.activityTaskScheduledEventAttributes?.activityId ?? '';
  await client.activity.heartbeat({ workflowId: ID, activityId }, 'so far');
  await client.activity.complete({ workflowId: ID, activityId }, 'a result');
  const first = handle.firstExecutionRunId;
  await until(async () => (await client.workflow.getHandle(ID).describe()).runId !== first);
  // the run that goes on has no summary, and may have begun before anybody looked
  await client.workflow.getHandle(ID, first).describe();
  await client.workflow.signalWithStart(everyPath, {
    ...options,
    args: [true],
    signal: tell,
    signalArgs: ['x'],
  });
  await until(async () => waiting.length === 2);
  await client.activity.complete(waiting[1] ?? new Uint8Array(), 'by its token');
  await expect(client.workflow.getHandle(ID).result()).rejects.toMatchObject({
    cause: { type: 'payload_refused' },
  });
  await client.workflow.getHandle(ID, first).fetchHistory();
  await client.workflow.getHandle(ID).fetchHistory();
  for (const child of ['child', 'child/failing'])
    await client.workflow.getHandle(`${ID}/${child}`).fetchHistory();
  const started = new WithStartWorkflowOperation(everyPath, {
    ...options,
    workflowId: `${ID}/other`,
    args: [false],
    workflowIdConflictPolicy: 'FAIL',
  });
  await client.workflow.executeUpdateWithStart(ask, { args: ['x'], startWorkflowOperation: started });
  await client.workflow.getHandle(`${ID}/other`).query('__temporal_workflow_metadata');
  await client.workflow.getHandle(`${ID}/other`).terminate('over');
  await client.workflow.getHandle(`${ID}/other`).fetchHistory();
  await bySchedule(client);
}

async function bySchedule(client: Client): Promise<void> {
  const scheduleId = `${ID}/schedule`;
  const schedule = await client.schedule.create({
    scheduleId,
    memo: { note: 'a memo' },
    spec: { intervals: [{ every: '1 day' }] },
    action: {
      type: 'startWorkflow',
      workflowType: 'aChild',
      workflowId: scheduleId,
      taskQueue: ID,
      args: ['at once'],
      memo: { note: 'a memo' },
      staticSummary: 's',
      staticDetails: 'd',
    },
  });
  await schedule.trigger();
  await until(async () => (await schedule.describe()).info.recentActions.length > 0);
  const id = (await schedule.describe()).info.recentActions[0]?.action.workflow.workflowId ?? '';
  expect(id).toMatch(new RegExp(`^${scheduleId}-\\d{4}`));
  expect(await client.workflow.getHandle(id).result()).toBe('a result');
  await client.workflow.getHandle(id).fetchHistory();
  await schedule.delete();
}

/** `process, child`: whose payloads were seen on a path. */
const named = (ids: Set<string>): string =>
  [...ids]
    .map((id) => NAMES[id] ?? id)
    .toSorted()
    .join(', ');
