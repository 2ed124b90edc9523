/** What accounts the bank offers. */
import type { FilterQuery } from '@mikro-orm/postgresql';
import { kycLevelOf } from '../../../db/queries/accounts/account-opening.ts';
import { typesAfter } from '../../../db/queries/accounts/account-types.ts';
import type { AccountType } from '../../../db/schema/accounts.ts';
import { AccountTypeId } from '../../../domain/ids.ts';
import { keysetById } from '../../wire/cursor.ts';
import { forUsers } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';
import { accountTypeView } from './views.ts';

const byId = keysetById('account-types', AccountTypeId);

export const listAccountTypes = forUsers({
  id: 'listAccountTypes',
  area: 'Finance',
  title: 'List openable account types',
  description:
    'Lists the types that the caller may open at once at the KYC level reached, and the types that can be requested. A request can be made before the KYC level of its type is reached.',
  method: 'GET',
  path: '/v1/account-types',
  effect: 'read',
  query: byId.query({}),
  status: 200,
  answer: wire.AccountTypeList,
  refuses: [],
  async handle({ caller, db, query }) {
    const level = await kycLevelOf(db, caller.id);
    const openable: FilterQuery<AccountType> = {
      enabled: true,
      $or: [{ openableBy: 'request' }, { kycLevelRequired: { $lte: level } }],
    };
    return byId.page(query, (after, most) => typesAfter(db, openable, after, most), accountTypeView);
  },
});

/** In the order of the documentation. */
export const operations = [listAccountTypes];
