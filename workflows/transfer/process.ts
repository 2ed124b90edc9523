/** How the processes that move money are started and found: transfers, adjustments and reversals. */
import type { Process } from '../../domain/process.ts';
import type { Movement, TransferKind } from '../../domain/transfers/transfers.ts';
import type { ProcessOf } from '../process-of.ts';

const moving = <Name extends TransferKind>(name: Name, title: string) => ({
  name,
  type: name,
  workflowId: (id: string) => `${name}/${id}`,
  idOf: (run: Movement) => run.id,
  customerOf: (run: Movement) => run.customerId,
  summary: (run: Movement) => `${title} ${run.id}`,
});

export const transferProcess: ProcessOf<'transfer'> = moving('transfer', 'Transfer');
export const adjustmentProcess: ProcessOf<'adjustment'> = moving('adjustment', 'Adjustment');
export const reversalProcess: ProcessOf<'reversal'> = moving('reversal', 'Reversal');

/** The process of each kind of movement. */
export const movementProcesses: Readonly<Record<TransferKind, Process<Movement>>> = {
  transfer: transferProcess,
  adjustment: adjustmentProcess,
  reversal: reversalProcess,
};
