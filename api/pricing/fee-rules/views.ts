/** Fee rules as the wire shows them. */
import type { FeeRuleRow } from '../../../db/queries/pricing/fee-rules.ts';
import { moneyIn } from '../../../domain/money.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const view = viewOf(wire.FeeRule);

export function feeRuleView({ asset, ...rule }: FeeRuleRow) {
  return view({ ...rule, currency: asset, ...tariffView(rule, asset) });
}

/** What a rule charges, in money. */
export function tariffView(
  { flat, minimum, maximum, tiers }: Pick<FeeRuleRow, 'flat' | 'minimum' | 'maximum' | 'tiers'>,
  asset: string,
) {
  const money = moneyIn(asset);
  return {
    flat: money(flat),
    minimum: minimum === null ? null : money(minimum),
    maximum: maximum === null ? null : money(maximum),
    tiers: tiers.map(({ above, flat, rate_bps }) => ({
      above: money(BigInt(above)),
      flat: money(BigInt(flat)),
      rate_bps,
    })),
  };
}
