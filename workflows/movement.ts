/** The story that transfers, adjustments and reversals share: a movement of money that may have to wait. */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  Trigger,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { isRefused, type Refused } from '../domain/process.ts';
import { carryOut, handOver, look } from './movement-steps.ts';
import { searchAttributes } from './search-attributes.ts';
import {
  isOpen,
  type Movement,
  type TransferState,
  type TransferStatus,
  type TransferStep,
} from '../domain/transfers/transfers.ts';
import type { DecisionId, TransferId } from '../domain/ids.ts';
import { businessClock, type BusinessClock } from './clock/waiting.ts';
import { refuse } from './refuse.ts';
import { takesAlways } from './seals.ts';
import { accountChanged, amlCleared, decide, railReported } from './transfer/contract.ts';

const WAITS: Partial<Record<TransferStatus, string>> = {
  pending_approval: 'Waits for the decision of an administrator other than the one who asked.',
  aml_review: 'Held: the paying account is flagged. Goes on when the flag is cleared.',
  queued: 'Waits for the rail’s next business day.',
  submitted: 'Given to the rail; waits for its word.',
};

/**
 * How often the books are asked again, in case the word that a flag is cleared was lost, or a step could not be carried out. Seldom,
 * for a look writes a dozen events, and a flag may stay for years.
 */
const LOOK_SECONDS = 24 * 3_600;

/** A step that somebody asked for, and who waits to hear what became of it. */
interface Asked {
  readonly step: TransferStep;
  readonly concluded: Trigger<TransferState | Refused>;
}

/** What a run knows of itself. */
interface Run {
  readonly id: TransferId;
  readonly asked: Asked[];
  readonly clock: BusinessClock;
  /** Unknown until it is read. */
  status?: TransferStatus;
  submitted: boolean;
  /** Flagged when this run began: the word that the flag has gone may have been lost with another run, so the books are asked once. */
  flaggedBefore: boolean;
  /** The last step could not be carried out, nor the transfer be failed: people are alarmed, and time decides once a day only. */
  stuck: boolean;
  over: boolean;
}

/**
 * From an order that had to wait to booked money, or back. Its money is held until the approval, the clearing of a flag, or the rail's
 * window; what leaves the bank then waits for the rail's word. The books say where it stands; the run carries ids only.
 * Ends executed, returned, rejected, cancelled, expired or failed. Cancelling the run (rather than
 * deciding to cancel) does nothing: the money would stay held with nobody left to free it.
 */
export function movement({ id }: Movement): Promise<TransferState | Refused> {
  return CancellationScope.nonCancellable(() => story(id));
}

async function story(id: TransferId): Promise<TransferState | Refused> {
  const begun = { submitted: false, flaggedBefore: false, stuck: false, over: false };
  const run: Run = { id, asked: [], clock: businessClock(), ...begun };
  listen(run);

  let state = await look(id);
  run.flaggedBefore = !isRefused(state) && state.status === 'aml_review';
  while (!isRefused(state) && isOpen(state.status)) {
    run.status = state.status;
    show(state.status, WAITS[state.status] ?? '');
    state = await oneStep(run, state);
  }
  run.over = true;
  show(
    isRefused(state) ? 'refused' : state.status,
    isRefused(state) ? `Refused: ${state.refused}` : `Ended as ${state.status}.`,
  );
  for (const { concluded } of run.asked) concluded.resolve({ refused: 'transfer_not_pending' });
  await condition(allHandlersFinished);
  return state;
}

/** Waits as the status asks and takes one step: somebody's, or that of time. Answers where the transfer stands then. */
async function oneStep(run: Run, state: TransferState): Promise<TransferState | Refused> {
  // whoever asked before it left hears first what became of it, for the rail may be away for long
  if (state.status === 'submitted' && !run.submitted && run.asked.length === 0) {
    await handOver(run.id);
    run.submitted = true;
  }
  const accepted = run.stuck ? undefined : state.decision;
  if (accepted === undefined) await somebodyAsksOrTimeIsOver(run, state);
  // what was accepted is carried out before what was asked since
  const next = accepted === undefined ? run.asked.shift() : askedFor(run, accepted);
  if (next === undefined && run.stuck) {
    run.stuck = false;
    return look(run.id);
  }
  const outcome = await carryOut(run.id, next?.step ?? stepOf(accepted));
  run.stuck = isRefused(outcome) && outcome.refused === 'internal_error';
  next?.concluded.resolve(outcome);
  // refused: another run or the rail's late word may have been first
  return isRefused(outcome) ? look(run.id) : outcome;
}

/** Whoever waits for this decision, if its word has come too. */
function askedFor({ asked }: Run, decision: DecisionId): Asked | undefined {
  const place = asked.findIndex(({ step }) => step.source === 'decision' && step.id === decision);
  return place < 0 ? undefined : asked.splice(place, 1)[0];
}

/** What happens if nobody asks: what was accepted while no run was there to hear it, or what time decides. */
function stepOf(accepted: TransferState['decision']): TransferStep {
  return accepted === undefined ? { source: 'time' } : { source: 'decision', id: accepted };
}

async function somebodyAsksOrTimeIsOver(run: Run, { status, waitSeconds }: TransferState): Promise<void> {
  const { asked, stuck } = run;
  const isAsked = (): boolean => asked.length > 0;
  if (status === 'submitted' && !stuck) return condition(isAsked);
  if (run.flaggedBefore) {
    run.flaggedBefore = false;
    return;
  }
  const seconds = stuck || status === 'aml_review' ? LOOK_SECONDS : (waitSeconds ?? 0);
  await run.clock.wait(isAsked, seconds);
}

function listen(run: Run): void {
  // not cancellable, as the story: a cancelled run still takes decisions
  const ask = (step: TransferStep): Promise<TransferState | Refused> =>
    CancellationScope.nonCancellable(async () => {
      if (run.over) return { refused: 'transfer_not_pending' };
      const concluded = new Trigger<TransferState | Refused>();
      run.asked.push({ step, concluded });
      return concluded;
    });
  // from the start: after a crash the row may wait already while this run still looks at it again
  setHandler(decide, ({ decision }) => ask({ source: 'decision', id: decision }), {
    description: 'Execute, reject or cancel while it waits, as the row of the decision says',
    validator: (_named) => {
      if (run.over) throw refuse('transfer_not_pending');
    },
  });
  setHandler(amlCleared, ({ flag }) => ask({ source: 'flag', id: flag }), {
    description: 'A flag of the account is cleared: what it held goes on',
    validator: takesAlways,
  });
  setHandler(
    railReported,
    async ({ report, kind }) => {
      if (kind === 'accepted') setCurrentDetails('The rail has taken it and has not settled it yet.');
      return ask({ source: 'report', id: report });
    },
    { description: 'What the rail says of the payment', validator: takesAlways },
  );
  setHandler(
    accountChanged,
    ({ status }) => {
      setCurrentDetails(`${WAITS[run.status ?? 'pending_approval'] ?? ''} The paying account is ${status}.`);
    },
    { description: 'The paying account was blocked, opened, frozen or closed', validator: takesAlways },
  );
}

/** What operators see in the list and on the page of the run. */
function show(status: string, details: string): void {
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  setCurrentDetails(details);
}
