/** Rates and a fee to try conversions and payments abroad with. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { addFeeRule, addFeeRuleVersion, feeRules } from '../../db/queries/pricing/fee-rules.ts';
import { addFxRate, newestFxRate } from '../../db/queries/pricing/fx-rates.ts';
import { newUuid } from '../../adapters/new-id.ts';
import { StoredCurrency } from '../../domain/assets.ts';
import { FeeRuleId, FxRateId } from '../../domain/ids.ts';
import { now } from '../../domain/time/now.ts';
import { RATES, SPREAD_BPS } from './demo-rates.ts';

const DAYS = 30;
const EUR = StoredCurrency.parse('EUR');

/** Sets what is missing or stale; what somebody has set stays. */
export async function addPrices(em: EntityManager): Promise<void> {
  for (const [currency, rate] of Object.entries(RATES)) {
    const quote = StoredCurrency.parse(currency);
    if ((await newestFxRate.first(em, { base: EUR, quote }))?.status === 'current') continue;
    await addFxRate(em, {
      ...{ id: FxRateId.parse(newUuid()), base: EUR, quote, rate, spreadBps: SPREAD_BPS },
      ...{ validFrom: null, validUntil: new Date(now().getTime() + DAYS * 86_400_000) },
      ...{ source: 'demo', createdBy: null },
    });
  }
  const rule = { code: 'transfer_abroad', purpose: 'transfer', asset: EUR };
  if ((await feeRules.all(em, { code: rule.code, after: null, most: 1 })).length > 0) return;
  const id = FeeRuleId.parse(newUuid());
  await addFeeRule(em, { id, ...rule });
  await addFeeRuleVersion.run(em, {
    ...{ ruleId: id, createdBy: null, purpose: rule.purpose, asset: rule.asset, version: 1 },
    ...{ description: 'Fee for payments abroad', enabled: true, priority: 0 },
    ...{ transferType: 'international', accountTypeId: null, cardProductId: null },
    ...{ validFrom: null, validTo: null },
    ...{ flat: 0n, rateBps: '15', minimum: 250n, maximum: 5000n, tierMode: 'graduated', tiers: [] },
  });
}
