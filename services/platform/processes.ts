/** The only place that starts processes and brings them decisions. */
import { WithStartWorkflowOperation, WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import { startInCall, startOf, type PendingUpdate } from '../../db/queries/platform/outbox.ts';
import { isRefused, type Process, type ProcessStart, type Refused } from '../../domain/process.ts';
import { refuse } from '../../domain/refusals.ts';
import { isRefusedPayload } from '../../domain/seals.ts';
import { brought, createRelay, delivered, type Relayed } from './relay.ts';
import { inTime, onceStarted, startOptions, type ProcessesDeps } from './starting.ts';
import { readError } from './temporal-errors.ts';

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
   * Asks a process something, and starts it if no run of this id goes on. For a process whose work is safe to repeat and that ends by
   * itself once nobody asks. Refuses unavailable if it does not answer in time; it may act all the same.
   */
  ask<Input, Answer extends object, Question>(
    process: Process<Input>,
    input: Input,
    update: UpdateDefinition<Answer | Refused, [Question]>,
    question: Question,
  ): Promise<Answer>;
  /**
   * Brings a process what `tellLater` has recorded for it, and waits until it has acted on it. 'later' where it does not answer in time:
   * the outbox brings it then. 'ended' where the process is over, or lost: read its row. Never throws.
   */
  deliver(told: PendingUpdate): Promise<'heard' | 'ended' | 'later'>;
  /** As `deliver`, for an update whose entry in the outbox is removed by the transaction with which the process acts on it. */
  bring(told: PendingUpdate): Promise<'heard' | 'ended' | 'later'>;
  /** Lets a running process know something that its operators shall see. Never throws: a process that is over need not know. */
  tell<Input, Notice>(
    process: Process<Input>,
    id: string,
    update: UpdateDefinition<void, [Notice]>,
    notice: Notice,
  ): Promise<void>;
  /**
   * Carries out the starts of the outbox, or brings what processes shall hear. Safe in several processes at once. Never throws: what
   * fails stays for the next round.
   */
  relay(what: Relayed): Promise<void>;
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

export function createProcesses(deps: ProcessesDeps): Processes {
  const { temporal } = deps;
  const relay = createRelay(deps);

  async function asked<Answer extends object>(
    call: () => Promise<Answer | Refused>,
  ): Promise<Answer | 'ended'> {
    try {
      const answer = await inTime(deps, call);
      if (isRefusedPayload(answer)) throw new Error('the answer was not sealed for its process');
      if (isRefused(answer)) throw refuse(answer.refused, { members: answer.members ?? {} });
      return answer;
    } catch (error) {
      return readError(error);
    }
  }

  return {
    restart: (process, input) => restart(deps, startOf(process, input)),
    decide: (process, id, update, decision, updateId) => {
      const workflowId = process.workflowId(id);
      const repeated = updateId === undefined ? {} : { updateId };
      const decide = () =>
        asked(() =>
          temporal.client.workflow
            .getHandle(workflowId)
            .executeUpdate(update, { args: [decision], ...repeated }),
        );
      return onceStarted(deps, workflowId, decide).catch(readError);
    },
    async ask(process, input, update, question) {
      const options = await restartOptions(deps, startInCall(process, input));
      const ask = () =>
        asked(() =>
          temporal.client.workflow.executeUpdateWithStart(update, {
            args: [question],
            startWorkflowOperation: new WithStartWorkflowOperation(process.type, {
              ...options,
              workflowIdConflictPolicy: 'USE_EXISTING',
            }),
          }),
        );
      const first = await ask();
      // the run ended in the moment in which it was asked; the second call starts another one
      const answer = first === 'ended' ? await ask() : first;
      if (answer === 'ended') throw refuse('unavailable', { retryAfter: 1 });
      return answer;
    },
    tell: (process, id, update, notice) =>
      told(deps, process.workflowId(id), (handle) => handle.executeUpdate(update, { args: [notice] })),
    deliver: (update) => delivered(deps, update, 'COMPLETED'),
    bring: (update) => brought(deps, update, 'COMPLETED'),
    relay: relay.ask,
    settled: relay.settled,
  };
}

async function restart(deps: ProcessesDeps, start: ProcessStart): Promise<boolean> {
  const { temporal } = deps;
  const options = await restartOptions(deps, start);
  try {
    await inTime(deps, () => temporal.client.workflow.start(start.type, options));
    return true;
  } catch (error) {
    // a run that goes on is what was wanted
    readError(error);
    return false;
  }
}

/** For a process that may have run before under this id. */
async function restartOptions(deps: ProcessesDeps, start: ProcessStart) {
  const { requestId: _requestId, ...options } = await startOptions(start, deps);
  return { ...options, workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;
}

async function told(
  deps: ProcessesDeps,
  workflowId: string,
  say: (handle: WorkflowHandle) => Promise<void>,
): Promise<void> {
  const { temporal, log } = deps;
  const tell = async (): Promise<'told' | 'ended'> => {
    try {
      await inTime(deps, () => say(temporal.client.workflow.getHandle(workflowId)));
      return 'told';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'ended';
      throw error;
    }
  };
  try {
    if ((await onceStarted(deps, workflowId, tell)) === 'ended')
      log.info({ workflowId }, 'a process was not told, because it is over');
  } catch (err) {
    log.info({ err, workflowId }, 'a process was not told');
  }
}
