/** What accounts the bank offers, as the back office decides it. A change is not retroactive: accounts keep what they were opened with. */
import { z } from 'zod';
import { typesAfter } from '../../../db/queries/accounts/account-types.ts';
import { AccountType } from '../../../db/schema/accounts.ts';
import { AccountTypeId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { createType, deleteType, typeFourEyes, updateType } from '../../../services/accounts/types.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import { patchOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';
import { accountTypeView } from './views.ts';

const byId = keysetById('all-account-types', AccountTypeId);
const params = z.strictObject({ id: AccountTypeId });

export const listAccountTypesAsAdmin = forAdmins({
  id: 'listAccountTypesAsAdmin',
  area: 'Admin finance',
  title: 'List account types (admin)',
  description: 'Lists all account types, including disabled ones.',
  method: 'GET',
  path: '/v1/admin/account-types',
  effect: 'read',
  permission: 'account_types:read',
  query: byId.query({ enabled: z.stringbool().optional() }),
  status: 200,
  answer: wire.AccountTypeList,
  refuses: [],
  async handle({ db, query: { enabled, ...page } }) {
    return byId.page(
      page,
      (after, most) => typesAfter(db, patchOf({ enabled }), after, most),
      accountTypeView,
    );
  },
});

export const createAccountType = forAdmins({
  id: 'createAccountType',
  area: 'Admin finance',
  title: 'Create account type',
  description:
    'Adds an account type. Its code and currency cannot be changed later. An enabled type waits for a second administrator.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/account-types',
  effect: 'transaction',
  permission: 'account_types:write',
  fourEyes: typeFourEyes,
  body: wire.AccountType,
  status: 201,
  answer: wire.AccountType,
  refuses: ['conflict'],
  async handle(request) {
    const id = AccountTypeId.parse(request.newId);
    return accountTypeView(await createType(request, id, patchOf(request.body)));
  },
});

export const getAccountType = forAdmins({
  id: 'getAccountType',
  area: 'Admin finance',
  title: 'Get account type',
  description: 'Returns one account type.',
  method: 'GET',
  path: '/v1/admin/account-types/{id}',
  effect: 'read',
  permission: 'account_types:read',
  params,
  status: 200,
  answer: wire.AccountType,
  refuses: [],
  async handle({ params: { id }, db }) {
    return accountTypeView(found(await db.findOne(AccountType, id)));
  },
});

export const updateAccountType = forAdmins({
  id: 'updateAccountType',
  area: 'Admin finance',
  title: 'Update account type',
  description:
    'Changes what new accounts of the type are opened with. Existing accounts keep their limits. A change that opens the type to more people or allows more on its accounts waits for a second administrator.',
  method: 'PATCH',
  path: '/v1/admin/account-types/{id}',
  effect: 'transaction',
  permission: 'account_types:write',
  fourEyes: typeFourEyes,
  params,
  body: wire.AccountTypeUpdate,
  status: 200,
  answer: wire.AccountType,
  refuses: [],
  async handle(request) {
    return accountTypeView(await updateType(request, request.params.id, patchOf(request.body)));
  },
});

export const deleteAccountType = forAdmins({
  id: 'deleteAccountType',
  area: 'Admin finance',
  title: 'Delete account type',
  description: 'Deletes a type that was never used. A type that was used can be disabled.',
  method: 'DELETE',
  path: '/v1/admin/account-types/{id}',
  effect: 'transaction',
  permission: 'account_types:write',
  params,
  status: 204,
  answer: null,
  refuses: ['in_use'],
  async handle(request) {
    await deleteType(request, request.params.id);
    return null;
  },
});

/** In the order of the documentation. */
export const operations = [
  listAccountTypesAsAdmin,
  createAccountType,
  getAccountType,
  updateAccountType,
  deleteAccountType,
];
