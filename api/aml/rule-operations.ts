/** Rules of the money-laundering watch, as the back office sets them. */
import { z } from 'zod';
import { amlRuleById, amlRules, amlRuleVersions, type AmlRuleRow } from '../../db/queries/aml/rules.ts';
import { RULE_ACTIONS, RULE_STATUSES, SEVERITIES } from '../../domain/aml/rules.ts';
import { AmlRuleId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import * as ruleService from '../../services/aml/rules.ts';
import { forAdmins } from '../declaration/operation.ts';
import { keyset, keysetById } from '../wire/cursor.ts';
import { patchOf, viewOf } from '../wire/rows.ts';
import * as wire from './rule-schemas.ts';

const byId = keysetById('aml-rules', AmlRuleId);
const byVersion = keyset('aml-rule-versions', z.int().positive(), (rule: AmlRuleRow) => rule.version);
const params = z.strictObject({ id: AmlRuleId });
const view = viewOf(wire.AMLRule);
const ruleView = ({ appliesTo, ...rule }: AmlRuleRow) => view({ ...rule, appliesTo: [...appliesTo] });

export const listAmlRules = forAdmins({
  id: 'listAmlRules',
  area: 'Admin AML',
  title: 'List AML rules',
  description: 'All rules, each in its newest version, oldest rule first.',
  method: 'GET',
  path: '/v1/admin/aml/rules',
  effect: 'read',
  permission: 'aml:read',
  query: byId.query({
    status: z.enum(RULE_STATUSES).optional(),
    severity: z.enum(SEVERITIES).optional(),
    action: z.enum(RULE_ACTIONS).optional(),
    code: z.string().max(60).optional(),
  }),
  status: 200,
  answer: wire.AMLRuleList,
  refuses: [],
  handle: ({ db, query }) =>
    byId.page(query, (after, most) => amlRules.all(db, { ...query, after, most }), ruleView),
});

export const createAmlRule = forAdmins({
  id: 'createAmlRule',
  area: 'Admin AML',
  title: 'Create AML rule',
  description:
    'Adds a rule. A rule that is `live` from the start waits for a second administrator. It judges movements from the moment it is live, and counts what happened before too.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/aml/rules',
  effect: 'transaction',
  permission: 'aml:write',
  fourEyes: ruleService.amlRuleFourEyes,
  body: wire.AMLRule,
  status: 201,
  answer: wire.AMLRule,
  refuses: ['conflict', 'rule_too_costly'],
  async handle(request) {
    const { code, status, name, description = '', severity, action, condition, cooldown } = request.body;
    const id = AmlRuleId.parse(request.newId);
    const terms = { name, description, severity, action, condition, cooldown: cooldown ?? null };
    const { applies_to: appliesTo } = request.body;
    const rule = { ...terms, appliesTo, ...(status === undefined ? {} : { status }) };
    return ruleView(await ruleService.createAmlRule(request, { id, code }, rule));
  },
});

export const getAmlRule = forAdmins({
  id: 'getAmlRule',
  area: 'Admin AML',
  title: 'Get AML rule',
  description: 'One rule in its newest version.',
  method: 'GET',
  path: '/v1/admin/aml/rules/{id}',
  effect: 'read',
  permission: 'aml:read',
  params,
  status: 200,
  answer: wire.AMLRule,
  refuses: [],
  async handle({ params: { id }, db }) {
    return ruleView(found(await amlRuleById.first(db, { id })));
  },
});

export const listAmlRuleVersions = forAdmins({
  id: 'listAmlRuleVersions',
  area: 'Admin AML',
  title: 'List versions of an AML rule',
  description: 'The versions of a rule, newest first. A flag names the version that raised it.',
  method: 'GET',
  path: '/v1/admin/aml/rules/{id}/versions',
  effect: 'read',
  permission: 'aml:read',
  params,
  query: byVersion.query({}),
  status: 200,
  answer: wire.AMLRuleList,
  refuses: [],
  beyond: true,
  async handle({ params: { id }, db, query }) {
    found(await amlRuleById.first(db, { id }));
    return byVersion.page(query, (before, most) => amlRuleVersions.all(db, { id, before, most }), ruleView);
  },
});

export const updateAmlRule = forAdmins({
  id: 'updateAmlRule',
  area: 'Admin AML',
  title: 'Update AML rule',
  description:
    'Changes a rule; other terms are a new version. To put a rule live, to end a live one, and to make a live one less strict or otherwise conditioned waits for a second administrator. Refused for going live if the rule would read too many movements at each payment.',
  method: 'PATCH',
  path: '/v1/admin/aml/rules/{id}',
  effect: 'transaction',
  permission: 'aml:write',
  fourEyes: ruleService.amlRuleFourEyes,
  params,
  body: wire.AMLRuleUpdate,
  status: 200,
  answer: wire.AMLRule,
  refuses: ['conflict', 'rule_too_costly'],
  async handle(request) {
    return ruleView(await ruleService.updateAmlRule(request, request.params.id, patchOf(request.body)));
  },
});

export const deleteAmlRule = forAdmins({
  id: 'deleteAmlRule',
  area: 'Admin AML',
  title: 'Delete AML rule',
  description:
    'Deletes a rule that has never hit. One that has is disabled instead and stays readable. The end of a live rule waits for a second administrator.',
  method: 'DELETE',
  path: '/v1/admin/aml/rules/{id}',
  effect: 'transaction',
  permission: 'aml:write',
  fourEyes: ruleService.amlRuleFourEyes,
  params,
  status: 204,
  answer: null,
  refuses: ['conflict', 'rule_too_costly'],
  async handle(request) {
    await ruleService.removeAmlRule(request, request.params.id);
    return null;
  },
});

/** In the order of the documentation. */
export const operations = [
  listAmlRules,
  createAmlRule,
  getAmlRule,
  listAmlRuleVersions,
  updateAmlRule,
  deleteAmlRule,
];
