/** Credits and debits that an administrator makes and another one approves. */
import { accountById } from '../../../db/queries/accounts/accounts.ts';
import { transferById } from '../../../db/queries/transfers/transfers.ts';
import { TransferId } from '../../../domain/ids.ts';
import { isWithinYearBefore } from '../../../domain/time/moments.ts';
import { faultIn } from '../../../domain/refusals.ts';
import { dayAt } from '../../../domain/statements.ts';
import { now } from '../../../domain/time/now.ts';
import { ADJUSTMENT_APPROVAL_SECONDS, type TransferOrder } from '../../../domain/transfers/transfers.ts';
import { takeOrder } from '../../../services/transfers/taking.ts';
import { forAdmins } from '../../declaration/operation.ts';
import * as ask from '../requests.ts';
import * as wire from '../schemas.ts';
import { adminTransferView } from '../views.ts';

export const createAdjustment = forAdmins({
  id: 'createAdjustment',
  area: 'Admin finance',
  title: 'Create admin credit/debit adjustment',
  description:
    'Asks for a credit or debit of a customer’s account. It waits for another administrator; a debit holds the money meanwhile. Another administrator executes or rejects it like a pending transfer.',
  method: 'POST',
  idempotency: 'required',
  path: '/v1/admin/adjustments',
  permission: 'adjustments:write',
  body: ask.AdminTransferAdjustRequest,
  status: 201,
  answer: wire.AdminTransfer,
  effect: 'booking',
  process: 'adjustment',
  refuses: ['insufficient_funds', 'account_blocked', 'account_closed', 'currency_mismatch'],
  async handle({ caller, body, db, claim, refusal }, { orders, config }) {
    const id = TransferId.parse(claim.booked ?? claim.newId);
    if (claim.booked === null) {
      const { value_date: valueDate } = body;
      const today = dayAt(now(), config.BANK_TIME_ZONE);
      if (valueDate !== undefined && !isWithinYearBefore(valueDate, today))
        throw faultIn('/value_date', 'out_of_range', 'must be today or up to a year back');
      const account = await accountById.first(db, { id: body.account_id });
      if (account === undefined) throw refusal('not_found');
      if (account.asset !== body.amount.asset) throw refusal('currency_mismatch');
      const order: TransferOrder = {
        id,
        kind: 'adjustment',
        requestedBy: caller.id,
        customerId: account.ownerId,
        ...(body.direction === 'credit' ? { destination: account.id } : { source: account.id }),
        asset: account.asset,
        amount: body.amount.minor.toString(),
        description: body.description,
        reason: body.reason,
        ...(valueDate === undefined ? {} : { valueDate }),
        approvalSeconds: ADJUSTMENT_APPROVAL_SECONDS,
      };
      await takeOrder({ caller: caller.id, claim }, order, orders);
    }
    return adminTransferView(await transferById.one(db, { id }), config);
  },
});

/** In the order of the documentation. */
export const operations = [createAdjustment];
