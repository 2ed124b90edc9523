/** All that others may know of the processes that move money with an approval: transfers and adjustments. */
import { defineUpdate } from '@temporalio/workflow';
import type { Process, Refused } from '../../domain/process.ts';
import type { TransferDecision, TransferOrder, TransferState } from '../../domain/transfers.ts';

export const transferProcess: Process<TransferOrder> = {
  name: 'transfer',
  type: 'transfer',
  workflowId: (id) => `transfer/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.customerId,
  summary: (order) => `Transfer ${order.id}`,
};

export const adjustmentProcess: Process<TransferOrder> = {
  name: 'adjustment',
  type: 'adjustment',
  workflowId: (id) => `adjustment/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.customerId,
  summary: (order) => `Adjustment ${order.id}`,
};

/** The first answer: executed, waiting for approval, or refused. */
export const opened = defineUpdate<TransferState | Refused>('opened');

/** Execute, reject or cancel a pending transfer; the first decision stands. Refuses: transfer_not_pending, same_person. */
export const decide = defineUpdate<TransferState | Refused, [TransferDecision]>('decide');
