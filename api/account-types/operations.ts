/** What accounts the bank offers. */
import { z } from 'zod';
import { AccountType } from '../../db/entities/account.ts';
import { AccountTypeId } from '../../domain/ids.ts';
import { formatMoney } from '../../domain/money.ts';
import { keyset } from '../cursor.ts';
import { operation } from '../operation.ts';
import { pageQuery } from '../wire.ts';
import * as wire from './schemas.ts';

const byId = keyset<AccountTypeId>('account-types', AccountTypeId);

/** The types that a customer may open at once or request. */
export const listAccountTypes = operation({
  id: 'listAccountTypes',
  area: 'Finance',
  title: 'List openable account types',
  method: 'GET',
  path: '/v1/account-types',
  auth: 'user',
  query: z.strictObject(pageQuery(byId)),
  status: 200,
  answer: wire.AccountTypeList,
  refuses: [],
  async handle({ db, query }) {
    const found = await db.find(
      AccountType,
      { enabled: true, ...(query.cursor === undefined ? {} : { id: { $gt: query.cursor } }) },
      { orderBy: { id: 'asc' }, limit: query.limit + 1 },
    );
    return byId.page(found, query.limit, (type) => type.id, accountTypeView);
  },
});

function accountTypeView(type: AccountType): z.input<typeof wire.AccountType> {
  const money = (minor: bigint) => formatMoney({ minor, asset: type.asset });
  return {
    id: type.id,
    code: type.code,
    name: type.name,
    currency: type.asset,
    openable_by: type.openableBy,
    overdraft_limit: money(type.overdraftLimit),
    max_balance: type.maxBalance == null ? null : money(type.maxBalance),
    enabled: type.enabled,
  };
}
