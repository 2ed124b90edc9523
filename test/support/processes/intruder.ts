/** Somebody who reaches Temporal's port and has no key: reads every history, starts what they like, has a worker of their own. */
import { Client, Connection } from '@temporalio/client';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { stack } from '../stack/stack.ts';
import './quiet-runtime.ts';
import { untilStarted } from './started.ts';

export interface Intruder {
  readonly client: Client;
  /** A client that sends these payloads, whatever it is given: one for each argument. */
  sending(...stolen: Payload[]): Client;
  /** What a genuine run was started with, the decisions it has accepted, and its queue. */
  steal(workflowId: string): Promise<{ input: Payload[]; decision: Payload[]; taskQueue: string }>;
  /** How many events a run has, and how many updates it has accepted. */
  look(workflowId: string): Promise<{ events: number; accepted: number }>;
  /** Has a workflow of their own call activities of ours; answers why each fails. */
  callActivities(taskQueue: string, calls: readonly ActivityCall[]): Promise<unknown>;
  close(): Promise<void>;
}

/** Its name and arguments. */
export type ActivityCall = readonly [name: string, args: unknown[]];

export async function openIntruder(): Promise<Intruder> {
  const { address, namespace } = stack.temporal;
  const connection = await Connection.connect({ address });
  const clientWith = (dataConverter: DataConverter): Client =>
    new Client({ connection, namespace, dataConverter });
  const client = clientWith(unreadable());
  const eventsOf = async (workflowId: string) => {
    const handle = client.workflow.getHandle(workflowId);
    // what has just been asked for is started a moment later, by the outbox
    await untilStarted(handle);
    return (await handle.fetchHistory()).events ?? [];
  };
  return {
    client,
    sending: (...stolen) => {
      const send = async (payloads: Payload[]): Promise<Payload[]> =>
        payloads.map((payload, at) => stolen[at] ?? payload);
      return clientWith(unreadable(send));
    },
    async steal(workflowId) {
      const events = await eventsOf(workflowId);
      const accepted = events.flatMap(
        ({ workflowExecutionUpdateAcceptedEventAttributes: update }) =>
          update?.acceptedRequest?.input?.args?.payloads ?? [],
      );
      const { input, taskQueue } = events[0]?.workflowExecutionStartedEventAttributes ?? {};
      return { input: input?.payloads ?? [], decision: accepted.slice(-1), taskQueue: taskQueue?.name ?? '' };
    },
    async look(workflowId) {
      const events = await eventsOf(workflowId);
      const accepted = events.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
      return { events: events.length, accepted: accepted.length };
    },
    callActivities: (taskQueue, calls) => callActivities(client, taskQueue, calls),
    close: () => connection.close(),
  };
}

/** Sends payloads as `encode` says, plain by default, and reads null for whatever is sealed. */
function unreadable(encode: PayloadCodec['encode'] = async (payloads) => payloads): DataConverter {
  const nothing = { metadata: { encoding: Buffer.from('binary/null') } };
  const isSealed = ({ metadata }: Payload) => Object.hasOwn(metadata ?? {}, 'encryption-key-id');
  const decode: PayloadCodec['decode'] = async (payloads) =>
    payloads.map((payload) => (isSealed(payload) ? nothing : payload));
  return { payloadCodecs: [{ encode, decode }] };
}

async function callActivities(
  client: Client,
  taskQueue: string,
  calls: readonly ActivityCall[],
): Promise<unknown> {
  const workflowId = `intruder/${randomUUID()}`;
  const connection = await NativeConnection.connect({ address: stack.temporal.address });
  const worker = await Worker.create({
    connection,
    namespace: stack.temporal.namespace,
    taskQueue: workflowId,
    dataConverter: unreadable(),
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('./intruder-workflow.ts', import.meta.url)),
      logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    }),
  });
  const options = { workflowId, taskQueue: workflowId, args: [taskQueue, calls] };
  try {
    return await worker.runUntil(client.workflow.execute('callActivities', options));
  } finally {
    await connection.close();
  }
}
