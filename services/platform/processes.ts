/** The only place that starts processes and brings them decisions, and the only one that reads Temporal's errors. */
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type WorkflowHandle,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import {
  claimUpdates,
  forgetStart,
  forgetUpdate,
  pendingStart,
  pendingStarts,
  startOf,
  type PendingUpdate,
} from '../../db/queries/platform/outbox.ts';
import { queueName } from '../../domain/queues.ts';
import { isRefused, type Process, type ProcessStart, type Refused } from '../../domain/process.ts';
import { isRefusedPayload } from '../../domain/seals.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { isRefusal, refuse, type RefusalCode, refusals } from '../../domain/refusals.ts';
import type { Temporal } from '../../adapters/temporal.ts';

const ANSWER_MILLISECONDS = 8_000;
const RELAY_BATCH = 50;
const AT_ONCE = 8;

export interface Processes {
  /**
   * Starts a process for which nobody waits, unless a run of this id goes on; one that has ended, or was terminated, is replaced.
   * For a process that its row says is not over, and whose work is safe to repeat. Answers whether it had to be started.
   */
  restart<Input>(process: Process<Input>, input: Input): Promise<boolean>;
  /**
   * Brings a decision to a running process, or to one that still waits in the outbox to be started; `updateId` makes a repeat
   * get the first answer. 'ended' where the process is over or unknown.
   */
  decide<Input, Answer extends object, Decision>(
    process: Process<Input>,
    id: string,
    update: UpdateDefinition<Answer | Refused, [Decision]>,
    decision: Decision,
    updateId?: string,
  ): Promise<Answer | 'ended'>;
  /**
   * Brings a process what `tellLater` has recorded for it, and waits until it has acted on it. 'later' where it does not answer in time:
   * the outbox brings it then. 'ended' where the process is over, or lost: read its row. Never throws.
   */
  deliver(told: PendingUpdate): Promise<'heard' | 'ended' | 'later'>;
  /** Lets a running process know something that its operators shall see. Never throws: a process that is over need not know. */
  tell<Input, Notice>(
    process: Process<Input>,
    id: string,
    update: UpdateDefinition<void, [Notice]>,
    notice: Notice,
  ): Promise<void>;
  /** Carries out the starts of the outbox and brings what processes shall hear. Safe in several processes at once. Never throws: what fails stays for the next round. */
  relay(): Promise<void>;
  /** Begins no further round; done once the one under way has ended. Before what it works with is closed. */
  settled(): Promise<void>;
}

/** An update for the outbox, with the types that its process declares. */
export function updateOf<Input, Answer, Notice>(
  process: Process<Input>,
  id: string,
  update: UpdateDefinition<Answer, [Notice]>,
  notice: Notice,
  updateId: string,
): PendingUpdate {
  return { workflowId: process.workflowId(id), name: update.name, input: notice, updateId };
}

export interface ProcessesDeps {
  readonly temporal: Temporal;
  readonly config: Config;
  readonly log: Logger;
  /** A fresh fork for each use. */
  readonly em: () => EntityManager;
}

export function createProcesses(deps: ProcessesDeps): Processes {
  const { temporal } = deps;
  const rounds = coalesced(() => carryOut(deps));

  async function asked<Answer extends object>(
    call: () => Promise<Answer | Refused>,
  ): Promise<Answer | 'ended'> {
    try {
      const answer = await temporal.within(ANSWER_MILLISECONDS, call);
      if (isRefusedPayload(answer)) throw new Error('the answer was not sealed for its process');
      if (isRefused(answer)) throw refuse(answer.refused, { members: answer.members ?? {} });
      return answer;
    } catch (error) {
      return readError(error);
    }
  }

  return {
    restart: (process, input) => restart(deps, startOf(process, input)),
    decide: async (process, id, update, decision, updateId) => {
      const repeated = updateId === undefined ? {} : { updateId };
      const decided = () =>
        asked(() =>
          temporal.client.workflow
            .getHandle(process.workflowId(id))
            .executeUpdate(update, { args: [decision], ...repeated }),
        );
      const answer = await decided();
      if (answer !== 'ended') return answer;
      await startWaiting(deps, process.workflowId(id)).catch(readError);
      return decided();
    },
    tell: (process, id, update, notice) =>
      told(deps, process.workflowId(id), (handle) => handle.executeUpdate(update, { args: [notice] })),
    deliver: (update) => delivered(deps, update, 'COMPLETED'),
    relay: rounds.ask,
    settled: rounds.settled,
  };
}

async function restart({ temporal, config }: ProcessesDeps, start: ProcessStart): Promise<boolean> {
  const options = { ...startOptions(start, config), workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;
  try {
    await temporal.within(ANSWER_MILLISECONDS, () => temporal.client.workflow.start(start.type, options));
    return true;
  } catch (error) {
    // a run that goes on is what was wanted
    readError(error);
    return false;
  }
}

/** Carries out the start of a process that was asked for a moment ago and still waits in the outbox. Answers whether it waited. */
async function startWaiting(deps: ProcessesDeps, workflowId: string): Promise<boolean> {
  const waiting = await pendingStart.first(deps.em(), { workflowId });
  return waiting !== undefined && (await carryOutOne(deps, waiting.input));
}

async function told(
  deps: ProcessesDeps,
  workflowId: string,
  say: (handle: WorkflowHandle) => Promise<void>,
): Promise<void> {
  const { temporal, log } = deps;
  const attempt = () =>
    temporal.within(ANSWER_MILLISECONDS, () => say(temporal.client.workflow.getHandle(workflowId)));
  try {
    await attempt().catch(async (error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      await startWaiting(deps, workflowId);
      return attempt();
    });
  } catch (err) {
    log.info({ err, workflowId }, 'a process was not told');
  }
}

/** Brings an update, and forgets it once the process has accepted it, or has acted on it: whatever it answers is in its row. */
async function delivered(
  deps: ProcessesDeps,
  told: PendingUpdate,
  waitForStage: 'ACCEPTED' | 'COMPLETED',
): Promise<'heard' | 'ended' | 'later'> {
  const { temporal, log, em } = deps;
  const { workflowId, updateId, name, input } = told;
  const attempt = async (): Promise<'heard' | 'ended'> => {
    const args: [unknown] = [input];
    const options = { args, updateId };
    const handle = temporal.client.workflow.getHandle(workflowId);
    try {
      await temporal.within(ANSWER_MILLISECONDS, async () => {
        if (waitForStage === 'COMPLETED') await handle.executeUpdate(name, options);
        else await handle.startUpdate(name, { ...options, waitForStage });
      });
      return 'heard';
    } catch (error) {
      return heardOrEnded(error);
    }
  };
  try {
    let answer = await attempt();
    if (answer === 'ended' && (await startWaiting(deps, workflowId))) answer = await attempt();
    await forgetUpdate.run(em(), { workflowId, updateId });
    return answer;
  } catch (err) {
    log.info({ err, workflowId, update: name }, 'a process could not be reached; the outbox tells it later');
    return 'later';
  }
}

/** A refusal of ours is an answer. Any other failure is not known to have been heard: thrown, so that it is told again. */
function heardOrEnded(error: unknown): 'heard' | 'ended' {
  try {
    return readError(error);
  } catch (read) {
    if (isRefusal(read) && read.code !== 'unavailable') return 'heard';
    throw read;
  }
}

/** One round through the outbox. Answers whether another would find more to do: starts that are refused for good are none. */
async function carryOut(deps: ProcessesDeps): Promise<boolean> {
  try {
    const starts = await pendingStarts(deps.em(), RELAY_BATCH);
    const carriedOut = await carryOutAll(deps, starts);
    const updates = await claimUpdates.all(deps.em(), { most: RELAY_BATCH });
    const heard = await deliverAll(deps, updates);
    return (starts.length === RELAY_BATCH && carriedOut > 0) || (updates.length === RELAY_BATCH && heard > 0);
  } catch (error) {
    deps.log.warn({ err: error }, 'processes in the outbox wait: Temporal or the database does not answer');
    return false;
  }
}

/** Some at once, in their order. Where one finds Temporal away the round ends, once all that were begun have. Answers how many started. */
function carryOutAll(deps: ProcessesDeps, starts: readonly ProcessStart[]): Promise<number> {
  return someAtOnce(starts, (start) => carryOutOne(deps, start));
}

/** The same for updates. Answers how many were heard, or had nobody left to hear them. */
function deliverAll(deps: ProcessesDeps, updates: readonly PendingUpdate[]): Promise<number> {
  return someAtOnce(updates, async (told) => (await delivered(deps, told, 'ACCEPTED')) !== 'later');
}

/** Answers how many were done; throws the first error once all that were begun have ended, and begins no more. */
async function someAtOnce<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<boolean>,
): Promise<number> {
  const left = items.values();
  let [done, isAway] = [0, false];
  const inTurn = async (): Promise<void> => {
    try {
      for (const item of left) if (!isAway && (await act(item))) done += 1;
    } catch (error) {
      isAway = true;
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, inTurn));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return done;
}

/** A start that Temporal refuses is logged and left; throws where Temporal is away. */
async function carryOutOne(
  { temporal, config, log, em }: ProcessesDeps,
  start: ProcessStart,
): Promise<boolean> {
  try {
    const options = startOptions(start, config);
    await temporal.within(ANSWER_MILLISECONDS, () => temporal.client.workflow.start(start.type, options));
  } catch (error) {
    if (isUnreachable(error)) throw error;
    // a process that runs already is what was wanted
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) {
      log.error({ err: error, workflowId: start.workflowId }, 'a process of the outbox does not start');
      return false;
    }
  }
  await forgetStart.run(em(), { workflowId: start.workflowId });
  return true;
}

function startOptions(
  start: ProcessStart,
  { TEMPORAL_TASK_QUEUE: prefix }: Config,
): WorkflowStartOptions & { args: unknown[] } {
  return {
    workflowId: start.workflowId,
    // all workflow tasks run there
    taskQueue: queueName(prefix, 'money'),
    args: [start.input],
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    staticSummary: start.summary,
    typedSearchAttributes: [
      { key: searchAttributes.process, value: start.name },
      { key: searchAttributes.status, value: 'started' },
      ...(start.customer === null ? [] : [{ key: searchAttributes.customer, value: start.customer }]),
    ],
  };
}

/** Runs `round` once at a time, again while it finds more; who asks meanwhile gets one more round after it. */
function coalesced(round: () => Promise<boolean>): Record<'ask' | 'settled', () => Promise<void>> {
  let running: Promise<void> | undefined;
  let again = false;
  let closing = false;
  const run = async (): Promise<void> => {
    while (again && !closing) {
      again = false;
      if (await round()) again = true;
    }
    running = undefined;
  };
  return {
    ask: () => {
      again = true;
      return (running ??= run());
    },
    settled: () => {
      closing = true;
      return running ?? Promise.resolve();
    },
  };
}

/** The failures that a caller can act on; all others pass as they are and become a 500. */
function readError(error: unknown): 'ended' {
  if (isRefusal(error)) throw error;
  if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
    const { type, details } = error.cause;
    if (isRefusalCode(type)) throw refuse(type, { members: readMembers(details) });
    if (type === 'AcceptedUpdateCompletedWorkflow') return 'ended';
  }
  if (error instanceof WorkflowNotFoundError || error instanceof WorkflowExecutionAlreadyStartedError)
    return 'ended';
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isUnreachable(error))
    throw refuse('unavailable', { retryAfter: 2 });
  throw error;
}

function isRefusalCode(type: string | null | undefined): type is RefusalCode {
  return typeof type === 'string' && Object.hasOwn(refusals, type);
}

function readMembers(details: readonly unknown[] | null | undefined): Readonly<Record<string, unknown>> {
  const [first] = details ?? [];
  return typeof first === 'object' && first !== null ? { ...first } : {};
}

/** gRPC: DEADLINE_EXCEEDED 4, RESOURCE_EXHAUSTED 8, UNAVAILABLE 14; Update-with-Start wraps some of them one level deep. */
function isUnreachable(error: unknown): boolean {
  const codes = new Set([4, 8, 14]);
  if (isGrpcServiceError(error) && codes.has(error.code)) return true;
  return error instanceof Error && isGrpcServiceError(error.cause) && codes.has(error.cause.code);
}
