/** All that others may know of the process of one day of a scheduled transfer. */
import type { Process } from '../../domain/process.ts';
import type { ScheduledRun } from '../../domain/scheduled-transfers.ts';

export const scheduledTransferProcess: Process<ScheduledRun> = {
  name: 'scheduled_transfer',
  type: 'scheduledTransfer',
  workflowId: (id) => `scheduled-transfer/${id}`,
  idOf: (run) => run.transferId,
  customerOf: (run) => run.userId,
  summary: (run) => `Transfer ${run.transferId} of the schedule ${run.scheduledTransferId}`,
};
