/** A conversation with support, from its first message until it is closed. */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  Trigger,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { TicketActivities } from '../../activities/tickets.ts';
import { type Refused } from '../../domain/process.ts';
import { searchAttributes } from '../search-attributes.ts';
import { refuse } from '../refuse.ts';
import { close, type TicketClosed, type TicketClosing, type TicketOrder } from './contract.ts';

const { closeTicket, closeIfIdle } = proxyActivities<TicketActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});

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

  setCurrentDetails('Open; closes by itself where its customer does not answer.');
  for (;;) {
    const { closed, askAgainInSeconds } = await closeIfIdle(order.id);
    if (closed) break;
    const earliest = { summary: 'until the ticket could be idle at the earliest' };
    if (await condition(() => closing !== undefined, askAgainInSeconds * 1_000, earliest)) break;
  }
  over = true;
  // also where the timer was quicker: whoever asked meanwhile is told so
  if (closing !== undefined) answered.resolve(await closeTicket(order.id, closing));
  upsertSearchAttributes([{ key: searchAttributes.status, value: 'closed' }]);
  setCurrentDetails('Closed.');
  await condition(allHandlersFinished);
}
