/** How customers are rated: read, overridden, and weighed. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import {
  assessRisk,
  overrideRisk,
  riskChangesOf,
  riskFactorByCode,
  riskOfCustomer,
  risksDue,
  weighFactor,
  type CustomerRiskRow,
  type RiskChangeRow,
  type RiskFactorRow,
} from '../../db/queries/compliance/risks.ts';
import { record } from '../../db/queries/platform/audit.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import type { RiskLevel } from '../../domain/compliance/risk.ts';
import { UserId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { now } from '../../domain/time/now.ts';
import type { AdminCall } from '../callers.ts';
import { anyChange, fourEyes, type Place } from '../platform/four-eyes.ts';

const DAY_MS = 86_400_000;
/** An override is looked at again within a year. */
const MOST_DAYS = 366;
const CHANGES_SHOWN = 50;
const PAGE = 100;
/** Customers that one round rates; the next one goes on. */
const MOST = 1_000;
const FIRST = UserId.parse('00000000-0000-0000-0000-000000000000');

/** How a customer is rated, and was rated before. */
export interface RatedCustomer {
  readonly risk: CustomerRiskRow;
  readonly changes: readonly RiskChangeRow[];
}

/** How a customer is rated. Refuses not_found, and same_person: staff see nothing of what others think of them. */
export async function ratedCustomer(
  { db, actor, refusal }: Pick<AdminCall<'same_person'>, 'db' | 'actor' | 'refusal'>,
  id: UserId,
): Promise<RatedCustomer> {
  if (id === actor.id) throw refusal('same_person');
  return {
    risk: found(await riskOfCustomer.first(db, { customer: id })),
    changes: await riskChangesOf.all(db, { customer: id, most: CHANGES_SHOWN }),
  };
}

/** What somebody decides in the place of the factors; without a level these decide again. */
export interface WantedOverride {
  readonly level: RiskLevel | null;
  readonly until: Date | null;
  readonly reason: string;
}

/** Every override waits for a second administrator, who is not the customer. */
export const overrideFourEyes = fourEyes({
  resource: ({ params }: Place<{ readonly user_id: UserId }>) => ['customer_risk', params.user_id],
  state: async (db, { params }) => (await riskOfCustomer.first(db, { customer: params.user_id })) ?? null,
  loosens: anyChange(shown),
  shown,
  concerns: ({ customerId }) => customerId,
});

function shown({ override, overrideUntil, overrideReason }: CustomerRiskRow): AuditState {
  return { level: override, until: overrideUntil?.toISOString() ?? null, reason: overrideReason };
}

/** Rates a customer by hand. Refuses below_law where the law asks for more. */
export async function overrideRiskOf(
  { db, actor, refusal }: AdminCall<'same_person' | 'below_law'>,
  customer: UserId,
  { level, until, reason }: WantedOverride,
): Promise<void> {
  const days = until === null ? 0 : (until.getTime() - now().getTime()) / DAY_MS;
  if ((level === null) !== (until === null))
    throw faultIn('/until', 'not_applicable', 'must be given if, and only if, a level is');
  if (until !== null && (days <= 0 || days > MOST_DAYS))
    throw faultIn('/until', 'out_of_range', `must be in the future, and at most ${MOST_DAYS} days ahead`);
  const before = found(await riskOfCustomer.first(db, { customer }));
  const verdict = await overrideRisk.one(db, { customer, by: actor.id, level, until, reason });
  if (verdict.refusal !== null) throw refusal(verdict.refusal);
  const after = await riskOfCustomer.one(db, { customer });
  await record(db, actor, {
    action: 'customer_risk.overridden',
    subject: ['user', customer],
    ...{ before: { ...shown(before), in_force: before.level }, reason },
    after: { ...shown(after), in_force: after.level },
  });
}

/** Every change of a weight waits for a second administrator. */
export const factorFourEyes = fourEyes({
  resource: ({ params: { code } }: Place<{ readonly code: string }>) => ['risk_factor', code],
  state: async (db, { params: { code } }) => (await riskFactorByCode.first(db, { code })) ?? null,
  loosens: anyChange(told),
  shown: told,
});

/** What of a factor is to change; what is left out stays. */
export interface WantedWeight {
  readonly points?: number;
  readonly atLeast?: 'medium' | 'high' | null;
  readonly threshold?: string;
  readonly entries?: readonly string[];
  readonly enabled?: boolean;
}

/** Weighs a factor otherwise. Refuses factor_by_law for what the law asks for. */
export async function weigh(
  { db, actor, refusal }: AdminCall<'factor_by_law'>,
  code: string,
  wanted: WantedWeight,
  reason: string,
): Promise<RiskFactorRow> {
  const before = found(await riskFactorByCode.first(db, { code }));
  for (const field of ['threshold', 'entries'] as const)
    if (wanted[field] !== undefined && before[field] === null)
      throw faultIn(`/${field}`, 'not_applicable', 'is nothing that this factor goes by');
  const verdict = await weighFactor.one(db, {
    ...{ code, by: actor.id, points: wanted.points ?? null, enabled: wanted.enabled ?? null },
    atLeast: wanted.atLeast === undefined ? null : (wanted.atLeast ?? ''),
    threshold: wanted.threshold ?? null,
    entries: wanted.entries === undefined ? null : [...new Set(wanted.entries)].toSorted(),
  });
  if (verdict.refusal === 'by_law') throw refusal('factor_by_law');
  const after = await riskFactorByCode.one(db, { code });
  await record(db, actor, {
    action: 'risk_factor.updated',
    subject: ['risk_factor', code],
    ...{ before: told(before), after: told(after), reason },
  });
  return after;
}

function told({ points, atLeast, threshold, entries, enabled }: RiskFactorRow): AuditState {
  return { points, at_least: atLeast, threshold, entries: entries && [...entries], enabled };
}

/** Rates those whose assessment is due, each in a transaction of their own. One who cannot be rated keeps nobody else from it. */
export async function assessDueRisks(em: () => EntityManager, log: Pick<Logger, 'error'>): Promise<void> {
  let after = { assessedAt: '-infinity', customer: FIRST };
  for (let rated = 0; rated < MOST; rated += PAGE) {
    const page = await risksDue.all(em(), { ...after, most: PAGE });
    for (const { customer } of page)
      await assessRisk.run(em(), { customer }).catch((err: unknown) => {
        log.error({ err, customerId: customer, alert: 'not_rated' }, 'a customer could not be rated');
      });
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}
