/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const scheduledTransferProcess: ProcessOf<'scheduledTransfer'> = {
  name: 'scheduled_transfer',
  type: 'scheduledTransfer',
  workflowId: (id) => `scheduled-transfer/${id}`,
  idOf: (run) => run.transferId,
  customerOf: (run) => run.userId,
  summary: (run) => `Transfer ${run.transferId} of the schedule ${run.scheduledTransferId}`,
};
