/** Fee rules, as the back office sets them. */
import { z } from 'zod';
import {
  feeRuleById,
  feeRules,
  feeRuleVersions,
  type FeeRuleRow,
} from '../../../db/queries/pricing/fee-rules.ts';
import { AccountTypeId, CardProductId, FeeRuleId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import * as feeRuleService from '../../../services/pricing/fee-rules.ts';
import { keyset, keysetById } from '../../wire/cursor.ts';
import { patchOf } from '../../wire/rows.ts';
import { Currency } from '../../wire/shapes.ts';
import { forAdmins } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';
import { feeRuleView } from './views.ts';

const byId = keysetById('fee-rules', FeeRuleId);
const byVersion = keyset('fee-rule-versions', z.int().positive(), (rule: FeeRuleRow) => rule.version);
const params = z.strictObject({ id: FeeRuleId });

export const createFeeRule = forAdmins({
  id: 'createFeeRule',
  area: 'Admin finance',
  title: 'Create fee rule',
  description:
    'Adds a rule with its first version. A fee is calculated exactly and rounded once to the nearest minor unit (half to even); `minimum` and `maximum` apply after that. Of the rules of one `code` that match a transfer, one is charged: the one with the highest `priority`; if several have it, first one that names the account type, then one that names the transfer type, then the newest. The fees of different codes add up. Every rule waits for a second administrator.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/fee-rules',
  effect: 'transaction',
  permission: 'fees:write',
  fourEyes: feeRuleService.feeRuleFourEyes,
  body: wire.FeeRule,
  status: 201,
  answer: wire.FeeRule,
  refuses: [],
  async handle(request) {
    const { code, purpose = 'transfer', currency: asset } = request.body;
    const id = FeeRuleId.parse(request.newId);
    const terms = patchOf(request.body);
    return feeRuleView(await feeRuleService.createFeeRule(request, { id, code, purpose, asset }, terms));
  },
});

export const listFeeRules = forAdmins({
  id: 'listFeeRules',
  area: 'Admin finance',
  title: 'List fee rules',
  description: 'All rules, each in its newest version, oldest rule first.',
  method: 'GET',
  path: '/v1/admin/fee-rules',
  effect: 'read',
  permission: 'fees:read',
  query: byId.query({
    purpose: wire.Purpose.optional(),
    currency: Currency.optional(),
    code: z.string().max(40).optional(),
    transfer_type: z.string().max(40).optional(),
    account_type_id: AccountTypeId.optional(),
    card_product_id: CardProductId.optional(),
    enabled: z.stringbool().optional(),
  }),
  status: 200,
  answer: wire.FeeRuleList,
  refuses: [],
  handle({ db, query }) {
    const { currency: asset, transfer_type: transferType, account_type_id: accountTypeId } = query;
    const { card_product_id: cardProductId, purpose, code, enabled } = query;
    const filters = { purpose, asset, code, transferType, accountTypeId, cardProductId, enabled };
    return byId.page(query, (after, most) => feeRules.all(db, { ...filters, after, most }), feeRuleView);
  },
});

export const getFeeRule = forAdmins({
  id: 'getFeeRule',
  area: 'Admin finance',
  title: 'Get fee rule',
  description: 'One rule in its newest version, which may still be to begin.',
  method: 'GET',
  path: '/v1/admin/fee-rules/{id}',
  effect: 'read',
  permission: 'fees:read',
  params,
  status: 200,
  answer: wire.FeeRule,
  refuses: [],
  async handle({ params: { id }, db }) {
    return feeRuleView(found(await feeRuleById.first(db, { id })));
  },
});

export const listFeeRuleVersions = forAdmins({
  id: 'listFeeRuleVersions',
  area: 'Admin finance',
  title: 'List versions of a fee rule',
  description: 'The versions of a rule, newest first, including one that is still to begin.',
  method: 'GET',
  path: '/v1/admin/fee-rules/{id}/versions',
  effect: 'read',
  permission: 'fees:read',
  params,
  query: byVersion.query({}),
  status: 200,
  answer: wire.FeeRuleList,
  refuses: [],
  beyond: true,
  async handle({ params: { id }, db, query }) {
    found(await feeRuleById.first(db, { id }));
    return byVersion.page(
      query,
      (before, most) => feeRuleVersions.all(db, { id, before, most }),
      feeRuleView,
    );
  },
});

export const updateFeeRule = forAdmins({
  id: 'updateFeeRule',
  area: 'Admin finance',
  title: 'Update fee rule',
  description:
    'Adds a version. Fields that are left out stay as in the newest version. Without `valid_from` the version begins now, or, if the newest version is still to begin, instead of that one. Of the versions that have begun the newest is charged. Quotes given before keep their fees. Every change waits for a second administrator.',
  method: 'PATCH',
  path: '/v1/admin/fee-rules/{id}',
  effect: 'transaction',
  permission: 'fees:write',
  fourEyes: feeRuleService.feeRuleFourEyes,
  params,
  body: wire.FeeRuleUpdate,
  status: 200,
  answer: wire.FeeRule,
  refuses: [],
  async handle(request) {
    const { params, body } = request;
    return feeRuleView(await feeRuleService.updateFeeRule(request, params.id, patchOf(body)));
  },
});

/** In the order of the documentation. */
export const operations = [createFeeRule, listFeeRules, getFeeRule, listFeeRuleVersions, updateFeeRule];
