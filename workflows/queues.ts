/** How a workflow reaches its activities: by the queue that carries them. */
import {
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
  type ActivityInterfaceFor,
  type ActivityOptions,
  type LocalActivityInterfaceFor,
  type LocalActivityOptions,
} from '@temporalio/workflow';
import { queueBeside, type Queue } from '../domain/queues.ts';

type Options = Omit<ActivityOptions, 'taskQueue'>;

declare const carriedBy: unique symbol;

/**
 * What the activities of a process extend: the queue that carries them. Asked for on another queue, or listed under another one in
 * activities/index.ts, they do not compile. Exists for the compiler only.
 */
export interface Carried<By extends Queue> {
  readonly [carriedBy]?: By;
}

/** Activities of the queue `money`. */
export function onMoney<A extends Carried<'money'>>(options: Options): ActivityInterfaceFor<A> {
  return proxyActivities<A>(on('money', options));
}

/** Activities of the queue `outside`. */
export function onOutside<A extends Carried<'outside'>>(options: Options): ActivityInterfaceFor<A> {
  return proxyActivities<A>(on('outside', options));
}

/** Activities of the queue `housekeeping`. */
export function onHousekeeping<A extends Carried<'housekeeping'>>(options: Options): ActivityInterfaceFor<A> {
  return proxyActivities<A>(on('housekeeping', options));
}

/** Activities of the queue `money`, run inside the workflow task. */
export function withinTask<A extends Carried<'money'>>(
  options: LocalActivityOptions,
): LocalActivityInterfaceFor<A> {
  return proxyLocalActivities<A>(options);
}

/** The name is read at each call: while a workflow's module loads there is no run whose queue could be asked. */
function on(queue: Queue, options: Options): ActivityOptions {
  return {
    ...options,
    get taskQueue() {
      return queueBeside(workflowInfo().taskQueue, queue);
    },
  };
}
