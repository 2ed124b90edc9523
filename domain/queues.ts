/** The task queues: bulkheads, so that a hung mail server or a long check of the books never takes a slot that money needs. */

/**
 * `money` moves money and decides on accounts, with the database alone; all workflow tasks run on it too, so that a decision
 * is handed from the process to its activity without a round through the server (eager dispatch).
 * `outside` waits for parts that are not ours: mail, text messages, the object store, the payment rail.
 * `housekeeping` does what nobody waits for with money in mind: checks, fees, keys, standing orders, tickets.
 */
export const queues = ['money', 'outside', 'housekeeping'] as const;
export type Queue = (typeof queues)[number];

/** A queue's name in Temporal. The prefix keeps the services of one Temporal server apart. */
export function queueName(prefix: string, queue: Queue): string {
  return `${prefix}-${queue}`;
}

/** The name of the queue beside the one on which workflow tasks run. */
export function queueBeside(workflowQueue: string, queue: Queue): string {
  return queueName(workflowQueue.replace(/-money$/, ''), queue);
}
