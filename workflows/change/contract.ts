/** All that others may know of the process of a change that waits for a second administrator. */
import { defineUpdate } from '@temporalio/workflow';
import type { ChangeId } from '../../domain/ids.ts';

/** The change was decided; the decision is in its row. The process looks at the row again. */
export const decided = defineUpdate<void, [{ readonly id: ChangeId }]>('decided');
