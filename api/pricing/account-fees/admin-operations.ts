/** What became of the monthly fees of accounts. */
import { z } from 'zod';
import { accountFees, type AccountFeeRow } from '../../../db/queries/pricing/account-fees.ts';
import { accountFeeStatuses } from '../../../domain/pricing/fees.ts';
import { AccountId } from '../../../domain/ids.ts';
import { formatMoney } from '../../../domain/money.ts';
import { keyset } from '../../wire/cursor.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { pageQuery } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';

const byMonth = keyset(
  'account-fees',
  z.tuple([z.string().regex(/^[1-9]\d{3}-(0[1-9]|1[0-2])$/), AccountId]),
);

export const listAccountFees = forAdmins({
  id: 'listAccountFees',
  area: 'Admin finance',
  title: 'List monthly account fees',
  description: 'Charged ones, and those that the books refuse still. The newest month first.',
  method: 'GET',
  path: '/v1/admin/account-fees',
  effect: 'read',
  permission: 'fees:read',
  query: z.strictObject({
    ...pageQuery(byMonth),
    status: z.enum(accountFeeStatuses).optional(),
    account_id: AccountId.optional(),
  }),
  status: 200,
  answer: wire.AccountFeeList,
  refuses: [],
  beyond: true,
  async handle({ db, query: { cursor, limit, status, account_id } }) {
    const before = cursor === undefined ? null : { month: cursor[0], account: cursor[1] };
    const found = await accountFees.all(db, { status, account: account_id, before, most: limit + 1 });
    return byMonth.page(found, limit, (fee) => [fee.month, fee.accountId] as const, accountFeeView);
  },
});

function accountFeeView(fee: AccountFeeRow): z.input<typeof wire.AccountFee> {
  return {
    id: fee.id,
    account_id: fee.accountId,
    month: fee.month,
    fee_rule_id: fee.ruleId,
    fee_rule_version: fee.ruleVersion,
    amount: formatMoney({ minor: fee.amount, asset: fee.asset }),
    status: fee.status,
    refusal: fee.refusal,
    attempts: fee.attempts,
    transaction_id: fee.transactionId,
    created_at: fee.createdAt.toISOString(),
    tried_at: fee.triedAt?.toISOString() ?? null,
  };
}

/** In the order of the documentation. */
export const operations = [listAccountFees];
