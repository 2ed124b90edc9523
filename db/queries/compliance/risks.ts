/** How customers are rated. Functions of the database rate them, and write what is set by hand. */
import { RISK_LEVELS } from '../../../domain/compliance/risk.ts';
import type { UserId } from '../../../domain/ids.ts';
import {
  bigCount,
  boolean,
  decimal,
  id,
  integer,
  moment,
  oneOf,
  text,
  textArray,
  type RowOf,
} from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { CustomerRisk, CustomerRiskChange, RiskFactor } from '../../schema/risks.ts';

const override = columnsOf(CustomerRisk, 'override', 'overrideReason', 'overrideUntil', 'overrideBy');
const risk = {
  ...columnsOf(CustomerRisk, 'factors', 'points', 'rated', 'leastByLaw'),
  ...{ customerId: id<UserId>(), ...override, level: oneOf(RISK_LEVELS) },
  ...{ levelSince: moment().nullable(), assessedAt: moment().nullable() },
};
/** How a customer is rated. `level` is what counts now; `assessedAt` is null while an assessment is due. */
export type CustomerRiskRow = RowOf<typeof risk>;

/** How a customer is rated; as a medium risk while nothing is known of them. */
export const riskOfCustomer = statement({
  name: 'riskOfCustomer',
  takes: { customer: id<UserId>() },
  gives: risk,
  sql: `
    select u.id as customer_id, coalesce(r.factors, '[]') as factors, coalesce(r.points, 0) as points,
           coalesce(r.rated, 'medium') as rated, coalesce(r.least_by_law, 'low') as least_by_law,
           ${selectList(override, 'r')}, customer_risk(u.id) as level, r.level_since,
           nullif(r.assessed_at, '-infinity') as assessed_at
      from users u left join customer_risks r on r.customer_id = u.id
     where u.id = $customer and u.role = 'customer'`,
});

const change = {
  ...columnsOf(CustomerRiskChange, 'at', 'level', 'rated', 'points', 'factors', 'override', 'overrideReason'),
  ...columnsOf(CustomerRiskChange, 'overrideUntil', 'overrideBy'),
};
export type RiskChangeRow = RowOf<typeof change>;

/** How a customer was rated before, the newest first. */
export const riskChangesOf = statement({
  name: 'riskChangesOf',
  takes: { customer: id<UserId>(), most: bigCount() },
  gives: change,
  sql: `
    select ${selectList(change, 'c')} from customer_risk_changes c
     where c.customer_id = $customer order by c.id desc limit $most`,
});

/** Sets the risk of a customer until a moment, or, without a level, lets the factors decide again; or says why not. */
export const overrideRisk = statement({
  name: 'overrideRisk',
  takes: {
    ...{ customer: id<UserId>(), by: id<UserId>(), level: oneOf(RISK_LEVELS).nullable() },
    ...{ reason: text(), until: moment().nullable() },
  },
  gives: { refusal: oneOf(['same_person', 'below_law']).nullable() },
  sql: 'select risk_override($customer, $by, $level, $reason, $until) as refusal',
});

/** A page of customers whose assessment is due, from beyond one of them; `assessedAt` is a key for the next page, as a text. */
export const risksDue = statement({
  name: 'risksDue',
  takes: { assessedAt: text(), customer: id<UserId>(), most: bigCount() },
  gives: { customer: id<UserId>(), assessedAt: text() },
  sql: `
    select d.customer_id as customer, d.assessed_at::text as assessed_at
      from risks_due($assessedAt::text::timestamptz, $customer, $most) d`,
});

/** Rates one customer, unless somebody is changing their applications. */
export const assessRisk = statement({
  name: 'assessRisk',
  takes: { customer: id<UserId>() },
  gives: {},
  sql: 'select from risk_assess_idle($customer)',
});

const factor = columnsOf(
  RiskFactor,
  ...(['code', 'category', 'points', 'atLeast', 'byLaw', 'threshold', 'enabled'] as const),
  ...(['updatedBy', 'updatedAt'] as const),
);
const wholeFactor = { ...factor, entries: textArray().nullable() };
export type RiskFactorRow = RowOf<typeof wholeFactor>;

/** A page of the factors by their codes, from after `after`. */
export const riskFactors = statement({
  name: 'riskFactors',
  takes: { after: text(), most: bigCount() },
  gives: wholeFactor,
  sql: `
    select ${selectList(wholeFactor, 'f')} from risk_factors f where f.code > $after order by f.code limit $most`,
});

export const riskFactorByCode = statement({
  name: 'riskFactorByCode',
  takes: { code: text() },
  gives: wholeFactor,
  sql: `select ${selectList(wholeFactor, 'f')} from risk_factors f where f.code = $code`,
});

/** Weighs a factor otherwise; null leaves what it was, and an empty `atLeast` takes it away. Or says why not. */
export const weighFactor = statement({
  name: 'weighFactor',
  takes: {
    ...{ code: text(), by: id<UserId>(), points: integer().nullable(), atLeast: text().nullable() },
    ...{ threshold: decimal().nullable(), entries: textArray().nullable(), enabled: boolean().nullable() },
  },
  gives: { refusal: oneOf(['by_law']).nullable() },
  sql: `
    select risk_factor_set($code, $by, $points, $atLeast, $threshold, $entries, $enabled) as refusal`,
});
