/** Starting processes: how, and those that wait in the outbox. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { WorkflowExecutionAlreadyStartedError, type WorkflowStartOptions } from '@temporalio/client';
import type { Logger } from 'pino';
import { startsRefused } from '../../adapters/metrics.ts';
import type { Temporal } from '../../adapters/temporal.ts';
import { inTrace } from '../../adapters/tracing.ts';
import type { Config } from '../../config.ts';
import { forgetStart, pendingStart } from '../../db/queries/platform/outbox.ts';
import { noteRefusedStart, SET_ASIDE_AFTER } from '../../db/queries/platform/refused-starts.ts';
import type { ProcessStart } from '../../domain/process.ts';
import { queueName } from '../../domain/queues.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { tellingOf } from './telling.ts';
import { failureOf, isUnreachable } from './temporal-errors.ts';

export interface ProcessesDeps {
  readonly temporal: Temporal;
  readonly config: Config;
  readonly log: Logger;
  /** A fresh fork for each use. */
  readonly em: () => EntityManager;
}

/** Calls Temporal, which must answer in time. */
export function inTime<T>({ temporal, config }: ProcessesDeps, call: () => Promise<T>): Promise<T> {
  return temporal.within(config.PROCESS_ANSWER_SECONDS * 1_000, call);
}

/** Asks a process. One that was launched a moment ago and still waits in the outbox is started, and asked once more. */
export async function onceStarted<Answer>(
  deps: ProcessesDeps,
  workflowId: string,
  ask: () => Promise<Answer | 'ended'>,
): Promise<Answer | 'ended'> {
  const answer = await ask();
  if (answer !== 'ended') return answer;
  const waiting = await pendingStart.first(deps.em(), { workflowId });
  if (waiting !== undefined) await carryOutStart(deps, waiting.input);
  return ask();
}

/** Carries out a start of the outbox. One that Temporal refuses is put off; throws where Temporal is away. Answers whether it runs. */
export async function carryOutStart(deps: ProcessesDeps, start: ProcessStart): Promise<boolean> {
  const { temporal, log, em } = deps;
  const { workflowId } = start;
  try {
    const { requestId, ...options } = await startOptions(start, deps);
    // whoever carries it out, the process belongs to the trace of the call that launched it
    await inTrace(start.trace ?? null, () =>
      inTime(deps, () => temporal.client.workflow.start(start.type, options)),
    );
    log.info({ workflowId, requestId }, 'a process was started');
  } catch (error) {
    if (isUnreachable(error)) throw error;
    // a process that runs already is what was wanted
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) {
      await noteRefused(deps, { workflowId, process: start.name }, error);
      return false;
    }
  }
  await forgetStart.run(em(), { workflowId });
  return true;
}

/** Counts a start that was refused though Temporal could be reached, and alerts once it is set aside. */
export async function noteRefused(
  { em, log }: Pick<ProcessesDeps, 'em' | 'log'>,
  refused: { readonly workflowId: string; readonly process: string },
  error: unknown,
): Promise<void> {
  startsRefused.inc({ process: refused.process });
  const failure = failureOf(error);
  const { attempts } = await noteRefusedStart.one(em(), { ...refused, failure });
  const about = { ...refused, attempts, failure, err: error };
  if (attempts < SET_ASIDE_AFTER) log.warn(about, 'a process does not start; it is tried again');
  else
    log.error(
      { ...about, alert: 'process_set_aside' },
      'a process does not start; it is set aside and tried once an hour',
    );
}

/** What a process starts with, and what operators read of it. */
export async function startOptions(
  start: ProcessStart,
  { config, em, log }: Pick<ProcessesDeps, 'config' | 'em' | 'log'>,
): Promise<WorkflowStartOptions & { args: unknown[]; requestId: string | null }> {
  const { summary, details, requestId } = await tellingOf(em(), start, config).catch((error: unknown) => {
    // what operators read must not keep a process from starting
    log.error({ err: error, workflowId: start.workflowId }, 'a process starts without its row being told');
    return { summary: start.summary, details: '', requestId: start.requestId ?? null };
  });
  return {
    requestId,
    workflowId: start.workflowId,
    // all workflow tasks run there
    taskQueue: queueName(config.TEMPORAL_TASK_QUEUE, 'money'),
    args: [start.input],
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    staticSummary: summary,
    staticDetails: details,
    ...(requestId === null ? {} : { memo: { request_id: requestId } }),
    typedSearchAttributes: [
      { key: searchAttributes.process, value: start.name },
      { key: searchAttributes.status, value: 'started' },
      ...(start.customer === null ? [] : [{ key: searchAttributes.customer, value: start.customer }]),
    ],
  };
}
