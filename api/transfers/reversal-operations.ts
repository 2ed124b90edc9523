/** Taking back what was executed: a posted entry is never changed, so another one undoes it. */
import { z } from 'zod';
import { transferById, type TransferRow } from '../../db/queries/transfers/transfers.ts';
import { TransferId } from '../../domain/ids.ts';
import { ADJUSTMENT_APPROVAL_SECONDS, type TransferOrder } from '../../domain/transfers/transfers.ts';
import { takeOrder } from '../../services/transfers/taking.ts';
import { forAdmins } from '../declaration/operation.ts';
import type { Admin } from '../../services/callers.ts';
import * as ask from './requests.ts';
import * as wire from './schemas.ts';
import { adminTransferView } from './views.ts';

export const reverseTransfer = forAdmins({
  id: 'reverseTransfer',
  area: 'Admin finance',
  title: 'Reverse executed transfer',
  description:
    'Asks for an executed transfer or adjustment to be taken back, with its fees. Another administrator executes or rejects it. What the payee was paid is held until another administrator executes or rejects the reversal like a pending transfer. A movement is reversed at most once; what has left the bank cannot be.',
  method: 'POST',
  idempotency: 'required',
  path: '/v1/admin/transfers/{id}/reverse',
  permission: 'transfers:reverse',
  beyond: true,
  params: z.strictObject({ id: TransferId }),
  body: ask.RequiredReason,
  status: 201,
  answer: wire.AdminTransfer,
  effect: 'booking',
  process: 'reversal',
  refuses: ['not_reversible', 'insufficient_funds', 'account_blocked', 'account_closed', 'balance_limit'],
  async handle({ caller, params, body, db, claim, refusal }, { orders, config }) {
    const id = TransferId.parse(claim.booked ?? claim.newId);
    if (claim.booked === null) {
      const original = await transferById.first(db, { id: params.id });
      if (original === undefined) throw refusal('not_found');
      await takeOrder({ caller: caller.id, claim }, reversalOf(original, id, caller, body.reason), orders);
    }
    return adminTransferView(await transferById.one(db, { id }), config);
  },
});

/** The way back: from where the money went to where it came from. What is booked, fees too, the books read off the original. */
function reversalOf(original: TransferRow, id: TransferId, caller: Admin, reason: string): TransferOrder {
  return {
    id,
    kind: 'reversal',
    requestedBy: caller.id,
    customerId: original.customerId,
    source: original.destinationAccountId,
    destination: original.sourceAccountId,
    asset: original.targetAsset,
    amount: original.targetAmount.toString(),
    targetAsset: original.asset,
    targetAmount: (original.amount + original.feeTotal).toString(),
    description: original.description,
    reason,
    reversesId: original.id,
    approvalSeconds: ADJUSTMENT_APPROVAL_SECONDS,
  };
}

/** In the order of the documentation. */
export const operations = [reverseTransfer];
