/** Rates and a fee to try conversions and payments abroad with. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { addFeeRule, addFeeRuleVersion, feeRules } from '../../db/queries/pricing/fee-rules.ts';
import { addFxRate, newestFxRate } from '../../db/queries/pricing/fx-rates.ts';
import { drawnId } from '../../db/queries/platform/drawn-ids.ts';
import { FeeRuleId, FxRateId } from '../../domain/ids.ts';
import { RATES, SPREAD_BPS } from './demo-rates.ts';

const DAYS = 30;

/** Sets what is missing or stale; what somebody has set stays. */
export async function addPrices(em: EntityManager): Promise<void> {
  for (const [quote, rate] of Object.entries(RATES)) {
    if ((await newestFxRate(em, 'EUR', quote))?.status === 'current') continue;
    await addFxRate(em, {
      ...{ id: FxRateId.parse((await drawnId.one(em)).id), base: 'EUR', quote, rate, spreadBps: SPREAD_BPS },
      ...{ validFrom: undefined, validUntil: new Date(Date.now() + DAYS * 86_400_000) },
      ...{ source: 'demo', createdBy: null },
    });
  }
  const rule = { code: 'transfer_abroad', purpose: 'transfer', asset: 'EUR' } as const;
  if ((await feeRules(em, { code: rule.code }, null, 1)).length > 0) return;
  const id = FeeRuleId.parse((await drawnId.one(em)).id);
  await addFeeRule(em, id, rule);
  await addFeeRuleVersion(em, id, null, {
    ...{ ...rule, version: 1, description: 'Fee for payments abroad', enabled: true, priority: 0 },
    ...{ transfer_type: 'international', account_type_id: null, valid_from: null, valid_to: null },
    ...{ flat: '0', rate_bps: '15', minimum: '250', maximum: '5000', tier_mode: 'graduated', tiers: [] },
  });
}
