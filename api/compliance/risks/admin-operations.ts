/** How customers are rated: each one, and by which weights. */
import { z } from 'zod';
import type { CustomerRiskRow, RiskChangeRow, RiskFactorRow } from '../../../db/queries/compliance/risks.ts';
import { riskFactors } from '../../../db/queries/compliance/risks.ts';
import { RISK_FACTOR_CODES, RISK_FACTORS } from '../../../domain/compliance/risk.ts';
import { UserId } from '../../../domain/ids.ts';
import {
  factorFourEyes,
  overrideFourEyes,
  overrideRiskOf,
  ratedCustomer,
  weigh,
  type RatedCustomer,
} from '../../../services/compliance/risks.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keyset } from '../../wire/cursor.ts';
import { patchOf, viewOf } from '../../wire/rows.ts';
import * as wire from './admin-schemas.ts';

const FactorCode = z.string().regex(/^[a-z][a-z_]{1,39}$/, 'must be the code of a factor');
const byCode = keyset('risk-factors', z.enum(RISK_FACTOR_CODES), (factor: RiskFactorRow) => factor.code);
const ofCustomer = z.strictObject({ user_id: UserId });

type Rating = Pick<
  CustomerRiskRow | RiskChangeRow,
  'level' | 'rated' | 'points' | 'factors' | 'override' | 'overrideReason' | 'overrideUntil' | 'overrideBy'
>;

function ratingView({ override: level, overrideReason: reason, overrideUntil: until, ...row }: Rating) {
  const { overrideBy: by, rated, points, factors } = row;
  return {
    ...{ level: row.level, rated, points, factors: factors.map((factor) => ({ ...factor })) },
    override:
      level === null || reason === null || until === null || by === null
        ? null
        : { level, reason, until, by },
  };
}

function riskView({ risk, changes }: RatedCustomer): z.output<typeof wire.CustomerRisk> {
  return {
    user_id: risk.customerId,
    ...ratingView(risk),
    ...{ level_since: risk.levelSince, assessed_at: risk.assessedAt },
    history: changes.map((change) => ({ at: change.at, ...ratingView(change) })),
  };
}

const viewOfFactor = viewOf(wire.RiskFactor);
const factorView = ({ entries, ...factor }: RiskFactorRow) =>
  viewOfFactor({ ...factor, entries: entries && [...entries], description: RISK_FACTORS[factor.code] });

export const getCustomerRisk = forAdmins({
  id: 'getCustomerRisk',
  area: 'Admin compliance',
  title: 'Get risk of customer',
  description: 'How great the risk is that a customer launders money, why, and how they were rated before.',
  method: 'GET',
  path: '/v1/admin/users/{user_id}/risk',
  effect: 'read',
  permission: 'compliance:read',
  params: ofCustomer,
  status: 200,
  answer: wire.CustomerRisk,
  refuses: ['same_person'],
  beyond: true,
  handle: async (request) => riskView(await ratedCustomer(request, request.params.user_id)),
});

export const overrideCustomerRisk = forAdmins({
  id: 'overrideCustomerRisk',
  area: 'Admin compliance',
  title: 'Override risk of customer',
  description:
    'Sets the risk of a customer for a while, or lets the factors decide again. It waits for a second administrator. Nobody goes below what the law asks for.',
  method: 'PUT',
  path: '/v1/admin/users/{user_id}/risk/override',
  effect: 'transaction',
  permission: 'compliance:review',
  fourEyes: overrideFourEyes,
  params: ofCustomer,
  body: wire.RiskOverrideRequest,
  status: 200,
  answer: wire.CustomerRisk,
  refuses: ['same_person', 'below_law'],
  beyond: true,
  async handle(request) {
    const { user_id: customer } = request.params;
    const { until = null, ...wanted } = request.body;
    await overrideRiskOf(request, customer, { ...wanted, until });
    return riskView(await ratedCustomer(request, customer));
  },
});

export const listRiskFactors = forAdmins({
  id: 'listRiskFactors',
  area: 'Admin compliance',
  title: 'List risk factors',
  description: 'By what customers are rated, by their codes.',
  method: 'GET',
  path: '/v1/admin/compliance/risk-factors',
  effect: 'read',
  permission: 'compliance:read',
  query: byCode.query({}),
  status: 200,
  answer: wire.RiskFactorList,
  refuses: [],
  beyond: true,
  handle: ({ db, query }) =>
    byCode.page(query, (after, most) => riskFactors.all(db, { after: after ?? '', most }), factorView),
});

export const updateRiskFactor = forAdmins({
  id: 'updateRiskFactor',
  area: 'Admin compliance',
  title: 'Update risk factor',
  description:
    'Weighs a factor otherwise. It waits for a second administrator; then every customer is rated anew.',
  method: 'PATCH',
  path: '/v1/admin/compliance/risk-factors/{code}',
  effect: 'transaction',
  permission: 'aml:write',
  fourEyes: factorFourEyes,
  params: z.strictObject({ code: FactorCode }),
  body: wire.RiskFactorRequest,
  status: 200,
  answer: wire.RiskFactor,
  refuses: ['factor_by_law'],
  beyond: true,
  async handle(request) {
    const { reason, ...wanted } = request.body;
    return factorView(await weigh(request, request.params.code, patchOf(wanted), reason));
  },
});

/** In the order of the documentation. */
export const operations = [getCustomerRisk, overrideCustomerRisk, listRiskFactors, updateRiskFactor];
