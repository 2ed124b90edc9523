/** A conversation with support, from its first message until it is closed. */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  Trigger,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { TicketActivities } from '../../activities/tickets.ts';
import { searchAttributes, type Refused } from '../../domain/process.ts';
import { refuse } from '../refuse.ts';
import { close, type TicketClosing, type TicketOrder } from './contract.ts';

const { closeTicket, closeIfIdle } = proxyActivities<TicketActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});

/**
 * Closed by an administrator, or by the timer where it has waited for its customer too long. Messages do not signal the process:
 * it sleeps until the ticket could be idle at the earliest, and asks the row whether it is.
 */
export async function ticket(order: TicketOrder): Promise<void> {
  const concluded = new Trigger<{ status: 'closed' } | Refused>();
  let closing: TicketClosing | undefined;
  let over = false;

  setHandler(
    close,
    async (asked: TicketClosing) => {
      closing = asked;
      return await concluded;
    },
    {
      description: 'An administrator closes the ticket',
      validator: (_asked: TicketClosing) => {
        if (over || closing !== undefined) throw refuse('ticket_closed');
      },
    },
  );

  setCurrentDetails('Open; closes by itself where its customer does not answer.');
  while (!over) {
    const { closed, askAgainInSeconds } = await closeIfIdle(order.id);
    over = closed;
    if (over) break;
    await condition(() => closing !== undefined, askAgainInSeconds * 1_000);
    if (closing !== undefined) {
      concluded.resolve(await closeTicket(order.id, closing));
      over = true;
    } else if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof ticket>(order);
    }
  }
  upsertSearchAttributes([{ key: searchAttributes.status, value: 'closed' }]);
  setCurrentDetails('Closed.');
  await condition(allHandlersFinished);
}
