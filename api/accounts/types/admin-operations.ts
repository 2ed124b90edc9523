/** What accounts the bank offers, as the back office decides it. A change is not retroactive: accounts keep what they were opened with. */
import {
  ForeignKeyConstraintViolationException,
  UniqueConstraintViolationException,
  type EntityManager,
} from '@mikro-orm/postgresql';
import { z } from 'zod';
import { record } from '../../../db/queries/platform/audit.ts';
import { AccountType } from '../../../db/schema/accounts.ts';
import { AccountTypeId } from '../../../domain/ids.ts';
import { faultIn, Refusal } from '../../../domain/refusals.ts';
import { keyset } from '../../wire/cursor.ts';
import { forAdmins } from '../../declaration/operation.ts';
import type { Context } from '../../declaration/request.ts';
import type { Admin } from '../../../services/callers.ts';
import { pageQuery } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { accountTypeView, limitsOf } from './views.ts';

const byId = keyset<AccountTypeId>('all-account-types', AccountTypeId);
const params = z.strictObject({ id: AccountTypeId });
const NO_LIMITS = { minBalance: 0n, maxBalance: null, overdraftLimit: 0n };

export const listAccountTypesAsAdmin = forAdmins({
  id: 'listAccountTypesAsAdmin',
  area: 'Admin finance',
  title: 'List account types (admin)',
  description: 'All types, those that are switched off too.',
  method: 'GET',
  path: '/v1/admin/account-types',
  effect: 'read',
  permission: 'account_types:read',
  query: z.strictObject({ ...pageQuery(byId), enabled: z.stringbool().optional() }),
  status: 200,
  answer: wire.AccountTypeList,
  refuses: [],
  async handle({ db, query }) {
    const found = await db.find(
      AccountType,
      {
        ...(query.enabled === undefined ? {} : { enabled: query.enabled }),
        ...(query.cursor === undefined ? {} : { id: { $gt: query.cursor } }),
      },
      { orderBy: { id: 'asc' }, limit: query.limit + 1 },
    );
    return byId.page(found, query.limit, (type) => type.id, accountTypeView);
  },
});

export const createAccountType = forAdmins({
  id: 'createAccountType',
  area: 'Admin finance',
  title: 'Create account type',
  description: 'Offers a new type. Its code and currency stand for ever.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/account-types',
  effect: 'transaction',
  permission: 'account_types:write',
  body: wire.AccountType,
  status: 201,
  answer: wire.AccountType,
  refuses: ['conflict'],
  async handle(request) {
    const { body, db, newId } = request;
    const now = new Date();
    const type = db.create(AccountType, {
      id: AccountTypeId.parse(newId),
      code: body.code,
      asset: body.currency,
      name: body.name,
      openableBy: body.openable_by,
      ...limitsOf(body, NO_LIMITS, body.currency),
      kycLevelRequired: body.kyc_level_required ?? 0,
      monthlyFeeRuleId: body.monthly_fee_rule_id ?? null,
      enabled: body.enabled ?? true,
      createdAt: now,
      updatedAt: now,
    });
    await stored(db);
    await recordChange(request, type.id, 'created', undefined, accountTypeView(type));
    return accountTypeView(type);
  },
});

export const getAccountType = forAdmins({
  id: 'getAccountType',
  area: 'Admin finance',
  title: 'Get account type',
  description: 'One type.',
  method: 'GET',
  path: '/v1/admin/account-types/{id}',
  effect: 'read',
  permission: 'account_types:read',
  params,
  status: 200,
  answer: wire.AccountType,
  refuses: [],
  async handle({ params: { id }, db }) {
    return accountTypeView(await typeOf(db, id));
  },
});

export const updateAccountType = forAdmins({
  id: 'updateAccountType',
  area: 'Admin finance',
  title: 'Update account type',
  description:
    'Changes what new accounts of the type are opened with. Not retroactive: accounts keep the limits that they were opened with.',
  method: 'PATCH',
  path: '/v1/admin/account-types/{id}',
  effect: 'transaction',
  permission: 'account_types:write',
  params,
  body: wire.AccountTypeUpdate,
  status: 200,
  answer: wire.AccountType,
  refuses: [],
  async handle(request) {
    const {
      params: { id },
      body,
      db,
    } = request;
    const type = await typeOf(db, id);
    const before = accountTypeView(type);
    const { minBalance, maxBalance, overdraftLimit } = type;
    db.assign(type, {
      ...limitsOf(body, { minBalance, maxBalance: maxBalance ?? null, overdraftLimit }, type.asset),
      name: body.name ?? type.name,
      openableBy: body.openable_by ?? type.openableBy,
      kycLevelRequired: body.kyc_level_required ?? type.kycLevelRequired,
      monthlyFeeRuleId:
        body.monthly_fee_rule_id === undefined ? type.monthlyFeeRuleId : body.monthly_fee_rule_id,
      enabled: body.enabled ?? type.enabled,
      updatedAt: new Date(),
    });
    await stored(db);
    await recordChange(request, id, 'updated', before, accountTypeView(type));
    return accountTypeView(type);
  },
});

export const deleteAccountType = forAdmins({
  id: 'deleteAccountType',
  area: 'Admin finance',
  title: 'Delete account type',
  description: 'Takes back a type that was never used. One that was can be disabled.',
  method: 'DELETE',
  path: '/v1/admin/account-types/{id}',
  effect: 'transaction',
  permission: 'account_types:write',
  params,
  status: 204,
  answer: null,
  refuses: ['in_use'],
  async handle(request) {
    const {
      params: { id },
      db,
    } = request;
    const before = accountTypeView(await typeOf(db, id));
    try {
      await db.nativeDelete(AccountType, { id });
    } catch (error) {
      // the database knows every table that refers to it, also those of later days
      throw error instanceof ForeignKeyConstraintViolationException ? new Refusal('in_use') : error;
    }
    await recordChange(request, id, 'deleted', before, undefined);
    return null;
  },
});

async function typeOf(db: EntityManager, id: AccountTypeId): Promise<AccountType> {
  const type = await db.findOne(AccountType, id);
  if (type === null) throw new Refusal('not_found');
  return type;
}

/** Refuses a code that is taken, and a fee rule that does not exist. */
async function stored(db: EntityManager): Promise<void> {
  try {
    await db.flush();
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException)
      throw new Refusal('conflict', { detail: 'The code is taken by another account type.' });
    if (error instanceof ForeignKeyConstraintViolationException)
      throw faultIn('/monthly_fee_rule_id', 'unknown', 'there is no such fee rule');
    throw error;
  }
}

function recordChange(
  { caller, db, requestId, client }: Pick<Context<Admin>, 'caller' | 'db' | 'requestId' | 'client'>,
  id: AccountTypeId,
  verb: 'created' | 'updated' | 'deleted',
  before: z.input<typeof wire.AccountType> | undefined,
  after: z.input<typeof wire.AccountType> | undefined,
): Promise<void> {
  return record(db, {
    actorId: caller.id,
    actorRole: 'admin',
    action: `account_type.${verb}`,
    subjectType: 'account_type',
    subjectId: id,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    requestId,
    address: client.address,
  });
}

/** In the order of the documentation. */
export const operations = [
  listAccountTypesAsAdmin,
  createAccountType,
  getAccountType,
  updateAccountType,
  deleteAccountType,
];
