/** Credits and debits that an administrator makes and another one approves. */
import { accountById } from '../../../db/queries/accounts/accounts.ts';
import { transferById } from '../../../db/queries/transfers/transfers.ts';
import { TransferId } from '../../../domain/ids.ts';
import { isWithinYearBefore } from '../../../domain/time/moments.ts';
import { faultIn } from '../../../domain/refusals.ts';
import { dayAt } from '../../../domain/statements.ts';
import { ADJUSTMENT_APPROVAL_SECONDS } from '../../../domain/transfers/transfers.ts';
import { opened } from '../../../workflows/transfer/contract.ts';
import { adjustmentProcess } from '../../../workflows/transfer/process.ts';
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
  effect: 'process',
  process: 'adjustment',
  refuses: ['insufficient_funds', 'account_blocked', 'account_closed', 'currency_mismatch'],
  async handle({ caller, body, db, newId, isRepeat, refusal }, { processes, config }) {
    const id = TransferId.parse(newId);
    const made = isRepeat ? await transferById.first(db, { id }) : undefined;
    if (made !== undefined) return adminTransferView(made, config);
    const { value_date: valueDate } = body;
    const today = dayAt(new Date(), config.BANK_TIME_ZONE);
    if (valueDate !== undefined && !isWithinYearBefore(valueDate, today))
      throw faultIn('/value_date', 'out_of_range', 'must be today or up to a year back');
    const account = await accountById.first(db, { id: body.account_id });
    if (account === undefined) throw refusal('not_found');
    if (account.asset !== body.amount.asset) throw refusal('currency_mismatch');
    await processes.begin(
      adjustmentProcess,
      {
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
      },
      opened,
    );
    const adjustment = await transferById.first(db, { id });
    if (adjustment === undefined) throw refusal('unavailable', { retryAfter: 2 });
    return adminTransferView(adjustment, config);
  },
});

/** In the order of the documentation. */
export const operations = [createAdjustment];
