/** The steps of a movement of money that may turn out never to succeed, and what becomes of it then. */
import { setCurrentDetails } from '@temporalio/workflow';
import { isRefused, type Refused } from '../domain/process.ts';
import type { DecisionId, TransferId } from '../domain/ids.ts';
import type { TransferState, TransferStep } from '../domain/transfers/transfers.ts';
import { IMPOSSIBLE, isPermanent, unlessPermanent } from './permanent.ts';
import { onMoney, onOutside, withinTask, type Carried } from './queues.ts';

/** The effects of its steps in the books. */
export interface TransferActivities extends Carried<'money'> {
  /** Where the books say that it stands. Refuses not_found for what nobody has ordered. */
  transferState(id: TransferId): Promise<TransferState | Refused>;
  /** Carries out what a row or the clock has decided, and writes into the audit log who it was. */
  carryOutStep(id: TransferId, step: TransferStep): Promise<TransferState | Refused>;
  /** Fails a transfer whose step can never be carried out: the hold is released. Refuses one that is booked. */
  failTransfer(id: TransferId, step: TransferStep['source']): Promise<TransferState | Refused>;
  /** Refuses a decision that can neither be carried out nor fail its transfer, so that another one can be taken. */
  giveUpDecision(id: DecisionId): Promise<void>;
}

/** The effect outside the bank. */
export interface RailActivities extends Carried<'outside'> {
  /**
   * Hands a submitted transfer to the rail, once as far as can be told: a repeat is the same payment. Throws where the rail
   * cannot be reached.
   */
  submitToRail(id: TransferId): Promise<void>;
}

const retry = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' } as const;

// a look into the books, inside the workflow task: that saves a task and its events
const { transferState } = withinTask<TransferActivities>({ startToCloseTimeout: '10s', retry });
const { carryOutStep, failTransfer, giveUpDecision } = onMoney<TransferActivities>({
  startToCloseTimeout: '10s',
  retry,
});
// the same, inside the task in which the run hears of a decision: tried once, for a moment only
const atOnce = withinTask<TransferActivities>({
  scheduleToCloseTimeout: '2s',
  retry: { maximumAttempts: 1 },
});
// a rail that is down does not lose a payment
const { submitToRail } = onOutside<RailActivities>({
  startToCloseTimeout: '30s',
  retry: { ...retry, maximumInterval: '1m' },
});

/** Where the transfer stands by the books. */
export function look(id: TransferId): Promise<TransferState | Refused> {
  return unlessPermanent(transferState(id), IMPOSSIBLE);
}

/**
 * Hands the payment to the rail. If that can never succeed, the transfer goes on waiting for the rail's word: whether a file has left
 * is not known here, so the money does not go back by itself. The watch over the rail tries again.
 */
export async function handOver(id: TransferId): Promise<void> {
  const given = await unlessPermanent(
    submitToRail(id).then(() => true),
    false,
  );
  if (!given) setCurrentDetails('Could not be given to the rail: see the alarm in the log of the worker.');
}

/**
 * Carries a step out. One that can never be carried out fails the transfer and releases its money. What is booked already stays
 * as it is, open to the next step: internal_error.
 */
export async function carryOut(id: TransferId, step: TransferStep): Promise<TransferState | Refused> {
  const taken = step.source === 'decision' ? withoutDelay(id, step) : carryOutStep(id, step);
  const outcome = await unlessPermanent(taken, undefined);
  if (outcome !== undefined) return outcome;
  const failed = await unlessPermanent(failTransfer(id, step.source), IMPOSSIBLE);
  if (!isRefused(failed)) return failed;
  if (step.source === 'decision') await giveUpDecision(step.id);
  return IMPOSSIBLE;
}

/**
 * Carries a decision out within the workflow task, because somebody waits for it: that saves a second task. What cannot be done in a
 * moment, for example because an account is locked, goes on as an activity of its own and holds no workflow task.
 */
async function withoutDelay(id: TransferId, step: TransferStep): Promise<TransferState | Refused> {
  try {
    return await atOnce.carryOutStep(id, step);
  } catch (error) {
    if (isPermanent(error)) throw error;
    return carryOutStep(id, step);
  }
}
