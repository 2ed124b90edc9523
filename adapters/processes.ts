/** The only place that starts processes and brings them decisions, and the only one that reads Temporal's errors. */
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  isGrpcServiceError,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { forgetStart, pendingStarts, startOf, type ProcessStart } from '../db/outbox.ts';
import { isRefused, searchAttributes, type Process, type Refused } from '../domain/process.ts';
import { Refusal, refusals, type RefusalCode } from '../domain/refusals.ts';
import type { Temporal } from './temporal.ts';

const ANSWER_MILLISECONDS = 8_000;
const RELAY_BATCH = 50;

export interface Processes {
  /**
   * Starts a process, or finds the one with this id, and waits for its first answer (Update-with-Start).
   * A repeat gets the same answer. Throws the refusal that the process answered, `unavailable` where it does not answer in time.
   * Answers 'ended' where a process of this id has ended before and Temporal remembers only that: read its row.
   */
  begin<Input, Answer extends object>(
    process: Process<Input>,
    input: Input,
    first: UpdateDefinition<Answer | Refused>,
  ): Promise<Answer | 'ended'>;
  /** Brings a decision to a running process; `updateId` makes a repeat get the first answer. 'ended' where the process is over or unknown. */
  decide<Input, Answer extends object, Decision>(
    process: Process<Input>,
    id: string,
    update: UpdateDefinition<Answer | Refused, [Decision]>,
    decision: Decision,
    updateId?: string,
  ): Promise<Answer | 'ended'>;
  /** Carries out the starts of the outbox. Safe in several processes at once. Never throws: what fails stays for the next round. */
  relay(): Promise<void>;
}

export function createProcesses(deps: {
  temporal: Temporal;
  config: Config;
  log: Logger;
  em: () => EntityManager;
}): Processes {
  const { temporal, config, log, em } = deps;

  const options = (start: ProcessStart): WorkflowStartOptions & { args: unknown[] } => ({
    workflowId: start.workflowId,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    args: [start.input],
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    staticSummary: start.summary,
    typedSearchAttributes: [
      { key: searchAttributes.process, value: start.name },
      { key: searchAttributes.status, value: 'started' },
      ...(start.customer === null ? [] : [{ key: searchAttributes.customer, value: start.customer }]),
    ],
  });

  async function asked<Answer extends object>(
    call: () => Promise<Answer | Refused>,
  ): Promise<Answer | 'ended'> {
    try {
      const answer = await temporal.within(ANSWER_MILLISECONDS, call);
      if (isRefused(answer)) throw new Refusal(answer.refused, { members: answer.members ?? {} });
      return answer;
    } catch (error) {
      return readError(error);
    }
  }

  let relaying: Promise<void> | undefined;
  let again = false;

  async function relayOnce(): Promise<void> {
    for (const start of await pendingStarts(em(), RELAY_BATCH)) {
      try {
        await temporal.within(ANSWER_MILLISECONDS, () =>
          temporal.client.workflow.start(start.type, options(start)),
        );
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
      await forgetStart(em(), start.workflowId);
    }
  }

  return {
    begin: (process, input, first) =>
      asked(() => {
        const start = startOf(process, input);
        const startWorkflowOperation = new WithStartWorkflowOperation(start.type, {
          ...options(start),
          workflowIdConflictPolicy: 'USE_EXISTING',
        });
        return temporal.client.workflow.executeUpdateWithStart(first, {
          updateId: process.idOf(input),
          startWorkflowOperation,
        });
      }),
    decide: (process, id, update, decision, updateId) =>
      asked(() =>
        temporal.client.workflow
          .getHandle(process.workflowId(id))
          .executeUpdate(update, { args: [decision], ...(updateId === undefined ? {} : { updateId }) }),
      ),
    relay: async () => {
      again = true;
      relaying ??= (async () => {
        try {
          while (again) {
            again = false;
            await relayOnce();
          }
        } catch (error) {
          log.warn({ err: error }, 'processes in the outbox wait: Temporal or the database does not answer');
        } finally {
          relaying = undefined;
        }
      })();
      await relaying;
    },
  };
}

/** The failures that a caller can act on; all others pass as they are and become a 500. */
function readError(error: unknown): 'ended' {
  if (error instanceof Refusal) throw error;
  if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
    const { type, details } = error.cause;
    if (isRefusalCode(type)) throw new Refusal(type, { members: readMembers(details) });
    if (type === 'AcceptedUpdateCompletedWorkflow') return 'ended';
  }
  if (error instanceof WorkflowNotFoundError || error instanceof WorkflowExecutionAlreadyStartedError)
    return 'ended';
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isUnreachable(error))
    throw new Refusal('unavailable', { retryAfter: 2 });
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
