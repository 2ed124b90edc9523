/** All that others may know of how a waiting process learns that the clock of the bank was moved. */
import { defineUpdate } from '@temporalio/workflow';

/** The clock was moved, so timers that were set before are late: look at the row again. In development only. */
export const clockMoved = defineUpdate<void, [{ readonly to: string }]>('clock_moved');
