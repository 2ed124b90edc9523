/** What became of the fees of accounts and their cards. */
import { z } from 'zod';
import { accountFees, type AccountFeeRow } from '../../../db/queries/pricing/account-fees.ts';
import { accountFeePurposes, accountFeeStatuses } from '../../../domain/pricing/fees.ts';
import { AccountFeeId, AccountId, CardId } from '../../../domain/ids.ts';
import { keyset } from '../../wire/cursor.ts';
import { viewOf } from '../../wire/rows.ts';
import { forAdmins } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';

const byMonth = keyset(
  'account-fees',
  z.tuple([z.string().regex(/^[1-9]\d{3}-(0[1-9]|1[0-2])$/), AccountId, AccountFeeId]),
  (fee: AccountFeeRow): [string, AccountId, AccountFeeId] => [fee.month, fee.accountId, fee.id],
);

export const listAccountFees = forAdmins({
  id: 'listAccountFees',
  area: 'Admin finance',
  title: 'List account fees',
  description:
    'The monthly fees of all accounts and what their cards cost, newest month first, including those that could not be charged yet.',
  method: 'GET',
  path: '/v1/admin/account-fees',
  effect: 'read',
  permission: 'fees:read',
  query: byMonth.query({
    status: z.enum(accountFeeStatuses).optional(),
    account_id: AccountId.optional(),
    card_id: CardId.optional(),
    purpose: z.enum(accountFeePurposes).optional(),
  }),
  status: 200,
  answer: wire.AccountFeeList,
  refuses: [],
  beyond: true,
  handle: ({ db, query }) =>
    byMonth.page(
      query,
      (before, most) => {
        const { status, account_id: account, card_id: card, purpose } = query;
        return accountFees.all(db, { status, account, card, purpose, before, most });
      },
      accountFeeView,
    ),
});

const view = viewOf(wire.AccountFee);

function accountFeeView({ ruleId, ruleVersion, amount: minor, asset, ...fee }: AccountFeeRow) {
  return view({ ...fee, feeRuleId: ruleId, feeRuleVersion: ruleVersion, amount: { minor, asset } });
}

/** In the order of the documentation. */
export const operations = [listAccountFees];
