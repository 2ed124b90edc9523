/** Carries out what the outbox holds: starts of processes, and what processes have to hear. */
import {
  claimUpdates,
  forgetUpdate,
  pendingStarts,
  type PendingUpdate,
} from '../../db/queries/platform/outbox.ts';
import { isRefusal } from '../../domain/refusals.ts';
import { someAtOnce } from './at-once.ts';
import { coalesced } from './coalesced.ts';
import { carryOutStart, inTime, onceStarted, type ProcessesDeps } from './starting.ts';
import { readError } from './temporal-errors.ts';

const BATCH = 50;

/** The two halves of the outbox. */
export type Relayed = 'starts' | 'updates';

/**
 * Starts and updates have loops of their own: an update waits until a worker has taken it, and a login code must not wait for that.
 * `ask` looks through one of them; `settled` begins no further round and is done once those under way have ended.
 */
export function createRelay(deps: ProcessesDeps): {
  ask(what: Relayed): Promise<void>;
  settled(): Promise<void>;
} {
  const loops = {
    starts: coalesced(logged(deps, () => startRound(deps))),
    updates: coalesced(logged(deps, () => updateRound(deps))),
  };
  return {
    ask: (what) => loops[what].ask(),
    settled: async () => void (await Promise.all([loops.starts.settled(), loops.updates.settled()])),
  };
}

/** Brings an update, and forgets it once the process has accepted it, or has acted on it: whatever it answers is in its row. */
export async function delivered(
  deps: ProcessesDeps,
  told: PendingUpdate,
  waitForStage: 'ACCEPTED' | 'COMPLETED',
): Promise<'heard' | 'ended' | 'later'> {
  const answer = await brought(deps, told, waitForStage);
  if (answer === 'later') return answer;
  const { workflowId, updateId } = told;
  try {
    await forgetUpdate.run(deps.em(), { workflowId, updateId });
    return answer;
  } catch (err) {
    deps.log.info({ err, workflowId, update: told.name }, 'a process was told; the outbox tells it again');
    return 'later';
  }
}

/** Brings an update, and leaves its entry in the outbox. */
export async function brought(
  deps: ProcessesDeps,
  { workflowId, updateId, name, input }: PendingUpdate,
  waitForStage: 'ACCEPTED' | 'COMPLETED',
): Promise<'heard' | 'ended' | 'later'> {
  const { temporal, log } = deps;
  const bring = async (): Promise<'heard' | 'ended'> => {
    const args: [unknown] = [input];
    const options = { args, updateId };
    const handle = temporal.client.workflow.getHandle(workflowId);
    try {
      await inTime(deps, async () => {
        if (waitForStage === 'COMPLETED') await handle.executeUpdate(name, options);
        else await handle.startUpdate(name, { ...options, waitForStage });
      });
      return 'heard';
    } catch (error) {
      return heardOrEnded(error);
    }
  };
  try {
    return await onceStarted(deps, workflowId, bring);
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

/** One round through the starts: some at once, in their order, until one finds Temporal away. Answers whether there may be more. */
async function startRound(deps: ProcessesDeps): Promise<boolean> {
  const starts = await pendingStarts(deps.em(), BATCH);
  await someAtOnce(starts, (start) => carryOutStart(deps, start));
  // none of these is found again at once: each was started, or refused and put off
  return starts.length === BATCH;
}

/** The same for updates. Those that nobody could be told are put off, and do not call for another round. */
async function updateRound(deps: ProcessesDeps): Promise<boolean> {
  const updates = await claimUpdates.all(deps.em(), { most: BATCH });
  const heard = await someAtOnce(
    updates,
    async (told) => (await delivered(deps, told, 'ACCEPTED')) !== 'later',
  );
  return updates.length === BATCH && heard > 0;
}

function logged({ log }: ProcessesDeps, round: () => Promise<boolean>): () => Promise<boolean> {
  return async () => {
    try {
      return await round();
    } catch (error) {
      log.warn({ err: error }, 'processes in the outbox wait: Temporal or the database does not answer');
      return false;
    }
  };
}
