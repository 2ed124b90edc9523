/**
 * How a workflow reaches its activities: by the queue that carries them. activities/index.ts says which that is; an activity that is
 * asked for on another queue does not compile.
 */
import {
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
  type ActivityInterfaceFor,
  type ActivityOptions,
  type LocalActivityInterfaceFor,
  type LocalActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { queueBeside, type Queue } from '../domain/queues.ts';

type Options = Omit<ActivityOptions, 'taskQueue'>;

/** Activities of the queue `money`. */
export function onMoney(options: Options): ActivityInterfaceFor<Activities['money']> {
  return proxyActivities<Activities['money']>(on('money', options));
}

/** Activities of the queue `outside`. */
export function onOutside(options: Options): ActivityInterfaceFor<Activities['outside']> {
  return proxyActivities<Activities['outside']>(on('outside', options));
}

/** Activities of the queue `housekeeping`. */
export function onHousekeeping(options: Options): ActivityInterfaceFor<Activities['housekeeping']> {
  return proxyActivities<Activities['housekeeping']>(on('housekeeping', options));
}

/** Activities of the queue `money`, run inside the workflow task. */
export function withinTask(options: LocalActivityOptions): LocalActivityInterfaceFor<Activities['money']> {
  return proxyLocalActivities<Activities['money']>(options);
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
