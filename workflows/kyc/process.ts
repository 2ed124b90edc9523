/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const kycProcess: ProcessOf<'kyc'> = {
  name: 'kyc',
  type: 'kyc',
  workflowId: (id) => `kyc/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.customerId,
  summary: (order) => `Identity check ${order.id}`,
};
