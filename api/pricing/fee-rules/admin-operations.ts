/** What the bank charges. A rule is never rewritten: a change is a new version from a date on, and the old ones stay to be read. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { record } from '../../../db/queries/platform/audit.ts';
import {
  addFeeRule,
  addFeeRuleVersion,
  feeRuleById,
  feeRules,
  feeRuleVersions,
  type FeeRuleRow,
} from '../../../db/queries/pricing/fee-rules.ts';
import { feePurposes } from '../../../domain/pricing/fees.ts';
import { AccountTypeId, FeeRuleId } from '../../../domain/ids.ts';
import { Refusal } from '../../../domain/refusals.ts';
import { keyset } from '../../wire/cursor.ts';
import { forAdmins } from '../../declaration/operation.ts';
import type { Context } from '../../declaration/request.ts';
import type { Admin } from '../../../services/callers.ts';
import { pageQuery } from '../../wire/shapes.ts';
import { changed, feeRuleView, refusingFaults, SILENT } from './formula.ts';
import * as wire from './schemas.ts';

const byId = keyset<FeeRuleId>('fee-rules', FeeRuleId);
const byVersion = keyset('fee-rule-versions', z.int().positive());
const params = z.strictObject({ id: FeeRuleId });

export const createFeeRule = forAdmins({
  id: 'createFeeRule',
  area: 'Admin finance',
  title: 'Create fee rule',
  description:
    'Adds a rule with its first version. The fee is calculated exactly and rounded once, to the nearest minor unit, right between two to the even one; then `minimum` ' +
    'and `maximum` apply. Of the rules of one `code` that fit a transfer, one is charged: the highest `priority`, then the one that ' +
    'names the account type, then the one that names the transfer type, then the newest. What different codes cost adds up.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/fee-rules',
  effect: 'transaction',
  permission: 'fees:write',
  body: wire.FeeRule,
  status: 201,
  answer: wire.FeeRule,
  refuses: [],
  async handle(request) {
    const { body, caller, db, newId } = request;
    const id = FeeRuleId.parse(newId);
    const identity = { code: body.code, purpose: body.purpose ?? 'transfer', asset: body.currency };
    const said = changed(SILENT, body, body.currency);
    await addFeeRule(db, { id, ...identity });
    const { purpose, asset } = identity;
    const version = { ...said, purpose, asset, description: body.description, version: 1 };
    await refusingFaults(addFeeRuleVersion.run(db, { ruleId: id, createdBy: caller.id, ...version }));
    return recorded(request, 'created', await ruleOf(db, id));
  },
});

export const listFeeRules = forAdmins({
  id: 'listFeeRules',
  area: 'Admin finance',
  title: 'List fee rules',
  description: 'All rules, each by its newest version.',
  method: 'GET',
  path: '/v1/admin/fee-rules',
  effect: 'read',
  permission: 'fees:read',
  query: z.strictObject({
    ...pageQuery(byId),
    purpose: z.enum(feePurposes).optional(),
    currency: wire.Currency.optional(),
    code: z.string().max(40).optional(),
    transfer_type: z.string().max(40).optional(),
    account_type_id: AccountTypeId.optional(),
    enabled: z.stringbool().optional(),
  }),
  status: 200,
  answer: wire.FeeRuleList,
  refuses: [],
  async handle({ db, query: { limit, cursor, ...filter } }) {
    const { purpose, currency: asset, code, enabled } = filter;
    const { transfer_type: transferType, account_type_id: accountTypeId } = filter;
    const narrowing = { purpose, asset, code, transferType, accountTypeId, enabled };
    const found = await feeRules.all(db, { ...narrowing, after: cursor ?? null, most: limit + 1 });
    return byId.page(found, limit, (rule) => rule.id, feeRuleView);
  },
});

export const getFeeRule = forAdmins({
  id: 'getFeeRule',
  area: 'Admin finance',
  title: 'Get fee rule',
  description: 'One rule by its newest version.',
  method: 'GET',
  path: '/v1/admin/fee-rules/{id}',
  effect: 'read',
  permission: 'fees:read',
  params,
  status: 200,
  answer: wire.FeeRule,
  refuses: [],
  async handle({ params: { id }, db }) {
    return feeRuleView(await ruleOf(db, id));
  },
});

export const listFeeRuleVersions = forAdmins({
  id: 'listFeeRuleVersions',
  area: 'Admin finance',
  title: 'List versions of a fee rule',
  description: 'What a rule said before, and what it will say.',
  method: 'GET',
  path: '/v1/admin/fee-rules/{id}/versions',
  effect: 'read',
  permission: 'fees:read',
  params,
  query: z.strictObject(pageQuery(byVersion)),
  status: 200,
  answer: wire.FeeRuleList,
  refuses: [],
  beyond: true,
  async handle({ params: { id }, db, query: { limit, cursor } }) {
    await ruleOf(db, id);
    const found = await feeRuleVersions.all(db, { id, before: cursor ?? null, most: limit + 1 });
    return byVersion.page(found, limit, (rule) => rule.version, feeRuleView);
  },
});

export const updateFeeRule = forAdmins({
  id: 'updateFeeRule',
  area: 'Admin finance',
  title: 'Update fee rule',
  description:
    'Adds a version that says the same as the newest one but for what the body says. Without `valid_from` it begins where the newest ' +
    'one will begin, or now. It replaces what was planned: of the versions whose time has come the newest is charged. ' +
    'Quotes given before keep what they said.',
  method: 'PATCH',
  path: '/v1/admin/fee-rules/{id}',
  effect: 'transaction',
  permission: 'fees:write',
  params,
  body: wire.FeeRuleUpdate,
  status: 200,
  answer: wire.FeeRule,
  refuses: [],
  async handle(request) {
    const { params, body, caller, db } = request;
    const before = await ruleOf(db, params.id);
    if (Object.keys(body).length === 0) return feeRuleView(before);
    const isPlanned = before.validFrom > new Date();
    const said = changed({ ...before, validFrom: isPlanned ? before.validFrom : null }, body, before.asset);
    const description = body.description ?? before.description;
    const { purpose, asset } = before;
    const version = { ...said, purpose, asset, description, version: before.version + 1 };
    await refusingFaults(addFeeRuleVersion.run(db, { ruleId: before.id, createdBy: caller.id, ...version }));
    return recorded(request, 'updated', await ruleOf(db, before.id), before);
  },
});

async function ruleOf(db: EntityManager, id: FeeRuleId): Promise<FeeRuleRow> {
  const rule = await feeRuleById.first(db, { id });
  if (rule === undefined) throw new Refusal('not_found');
  return rule;
}

async function recorded(
  { caller, db, requestId, client }: Pick<Context<Admin>, 'caller' | 'db' | 'requestId' | 'client'>,
  verb: 'created' | 'updated',
  rule: FeeRuleRow,
  before?: FeeRuleRow,
): Promise<ReturnType<typeof feeRuleView>> {
  const after = feeRuleView(rule);
  await record(db, {
    actorId: caller.id,
    actorRole: 'admin',
    action: `fee_rule.${verb}`,
    subjectType: 'fee_rule',
    subjectId: rule.id,
    ...(before === undefined ? {} : { before: feeRuleView(before) }),
    after,
    requestId,
    address: client.address,
  });
  return after;
}

/** In the order of the documentation. */
export const operations = [createFeeRule, listFeeRules, getFeeRule, listFeeRuleVersions, updateFeeRule];
