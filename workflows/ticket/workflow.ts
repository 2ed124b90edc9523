/** A conversation with support, from its first message until it is closed. */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  Trigger,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { type Refused } from '../../domain/process.ts';
import { CLOSE_IDLE_AFTER_DAYS } from '../../domain/tickets/tickets.ts';
import { IMPOSSIBLE, unlessPermanent } from '../permanent.ts';
import type { TicketId } from '../../domain/ids.ts';
import { onHousekeeping, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';
import { businessClock } from '../clock/waiting.ts';
import { refuse } from '../refuse.ts';
import { close, type TicketClosed, type TicketClosing, type TicketOrder } from './contract.ts';

/** The effects of its steps. */
export interface TicketActivities extends Carried<'housekeeping'> {
  /** Closes by an administrator's decision, and writes down whose. Refuses ticket_closed if somebody else was first. */
  closeTicket(id: TicketId, closing: TicketClosing): Promise<TicketClosed | Refused>;
  /** Closes a ticket that has waited for its customer too long; else says when it could have, at the earliest. */
  closeIfIdle(id: TicketId): Promise<{ readonly closed: boolean; readonly askAgainInSeconds: number }>;
}

const { closeTicket, closeIfIdle } = onHousekeeping<TicketActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});

const CLOSED: TicketClosed = { status: 'closed' };

/**
 * Closed by an administrator, or by the timer where it has waited for its customer too long. Messages do not signal the process:
 * it sleeps until the ticket could be idle at the earliest, and asks the row whether it is. So its history grows by a few events
 * in two weeks, and never needs to be continued as new. Cancelling the run does nothing: the ticket could not be closed any more.
 */
export function ticket(order: TicketOrder): Promise<void> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story(order: TicketOrder): Promise<void> {
  const answered = new Trigger<TicketClosed | Refused>();
  let closing: TicketClosing | undefined;
  let over = false;
  const clock = businessClock();

  setHandler(
    close,
    async (asked: TicketClosing) => {
      closing = asked;
      return await answered;
    },
    {
      description: 'An administrator closes the ticket',
      validator: (_asked: TicketClosing) => {
        if (over || closing !== undefined) throw refuse('ticket_closed');
      },
    },
  );

  setCurrentDetails(
    `Open: waits for support or for its customer. Closes by itself if the customer does not answer for ${CLOSE_IDLE_AFTER_DAYS} days.`,
  );
  for (;;) {
    const { closed, askAgainInSeconds } = await closeIfIdle(order.id);
    if (closed) break;
    const earliest = { summary: 'until the ticket could be idle at the earliest' };
    if (await clock.wait(() => closing !== undefined, askAgainInSeconds, earliest)) break;
  }
  over = true;
  // also where the timer was quicker: whoever asked meanwhile is told so
  const outcome =
    closing === undefined ? CLOSED : await unlessPermanent(closeTicket(order.id, closing), IMPOSSIBLE);
  answered.resolve(outcome);
  // such a ticket is still open: whoever closes it next, or the watch, begins its process again
  const status = outcome === IMPOSSIBLE ? 'failed' : 'closed';
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  setCurrentDetails(
    status === 'closed' ? 'Closed.' : 'Could not be closed: see the alarm in the log of the worker.',
  );
  await condition(allHandlersFinished);
}
