/** Transfers and quotes as the wire shows them. */
import type { z } from 'zod';
import type { Config } from '../../config.ts';
import type { TransferRow } from '../../db/queries/transfers.ts';
import { formatMoney } from '../../domain/money.ts';
import { processOf } from './decisions.ts';
import type * as wire from './schemas.ts';

export function transferView(transfer: TransferRow): z.input<typeof wire.Transfer> {
  return {
    id: transfer.id,
    type: transfer.type_code ?? '',
    status: transfer.status,
    source_account_id: transfer.source_account_id,
    destination_account_number: transfer.destination_number ?? '',
    amount: formatMoney({ minor: BigInt(transfer.amount), asset: transfer.asset }),
    description: transfer.description,
    quote_id: transfer.quote_id,
    failure_code: transfer.failure_code,
    created_at: transfer.created_at.toISOString(),
    approve_until: transfer.approve_until?.toISOString() ?? null,
    finished_at: transfer.finished_at?.toISOString() ?? null,
  };
}

/** With who asked, who decided, and where its process is to be seen. */
export function adminTransferView(
  transfer: TransferRow,
  config: Pick<Config, 'TEMPORAL_UI_URL' | 'TEMPORAL_NAMESPACE'>,
): z.input<typeof wire.AdminTransfer> {
  const workflowId = processOf(transfer).workflowId(transfer.id);
  return {
    ...transferView(transfer),
    type: transfer.type_code,
    kind: transfer.kind,
    source_account_number: transfer.source_number,
    destination_account_id: transfer.destination_account_id,
    destination_account_number: transfer.destination_number,
    customer_id: transfer.customer_id,
    requested_by: transfer.requested_by,
    requires_approval: transfer.requires_approval,
    reason: transfer.reason,
    decided_by: transfer.decided_by,
    decision_reason: transfer.decision_reason,
    transaction_id: transfer.transaction_id,
    workflow_id: workflowId,
    workflow_url: `${config.TEMPORAL_UI_URL}/namespaces/${config.TEMPORAL_NAMESPACE}/workflows/${encodeURIComponent(workflowId)}`,
  };
}
