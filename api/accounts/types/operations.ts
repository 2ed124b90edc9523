/** What accounts the bank offers. */
import { z } from 'zod';
import { AccountType } from '../../../db/schema/accounts.ts';
import { kycLevelOf } from '../../../db/queries/accounts/account-opening.ts';
import { AccountTypeId } from '../../../domain/ids.ts';
import { keyset } from '../../wire/cursor.ts';
import { forUsers } from '../../declaration/operation.ts';
import { pageQuery } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { accountTypeView } from './views.ts';

const byId = keyset<AccountTypeId>('account-types', AccountTypeId);

export const listAccountTypes = forUsers({
  id: 'listAccountTypes',
  area: 'Finance',
  title: 'List openable account types',
  description:
    'The types that the caller may open at once, being identified enough, and those that can be requested. Types that the caller may open at once, and types to be requested. A request may be made before the needed KYC level is reached.',
  method: 'GET',
  path: '/v1/account-types',
  effect: 'read',
  query: z.strictObject(pageQuery(byId)),
  status: 200,
  answer: wire.AccountTypeList,
  refuses: [],
  async handle({ caller, db, query }) {
    const level = await kycLevelOf(db, caller.id);
    const found = await db.find(
      AccountType,
      {
        enabled: true,
        $or: [{ openableBy: 'request' }, { kycLevelRequired: { $lte: level } }],
        ...(query.cursor === undefined ? {} : { id: { $gt: query.cursor } }),
      },
      { orderBy: { id: 'asc' }, limit: query.limit + 1 },
    );
    return byId.page(found, query.limit, (type) => type.id, accountTypeView);
  },
});

/** In the order of the documentation. */
export const operations = [listAccountTypes];
