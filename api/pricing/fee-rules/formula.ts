/** From what a request says of a fee rule to a version of it, and back. */
import type { z } from 'zod';
import type { FeeRuleRow, NewFeeRuleVersion } from '../../../db/queries/pricing/fee-rules.ts';
import type { FeePurpose } from '../../../domain/pricing/fees.ts';
import { formatMoney, type MoneyWire } from '../../../domain/money.ts';
import { faultIn } from '../../../domain/refusals.ts';
import { minorIn } from '../../wire/amounts.ts';
import type * as wire from './schemas.ts';

type Wished = Omit<z.output<typeof wire.FeeRuleUpdate>, 'description'>;

/** What of a version a request may say. */
type Changeable = Omit<NewFeeRuleVersion, 'version' | 'purpose' | 'asset' | 'description'>;

/** A rule about which nothing is said: it charges nothing, for whatever is moved, from now on. */
export const SILENT: Changeable = {
  enabled: true,
  transferType: null,
  accountTypeId: null,
  priority: 0,
  flat: 0n,
  rateBps: '0',
  minimum: null,
  maximum: null,
  tierMode: 'graduated',
  tiers: [],
  validFrom: null,
  validTo: null,
};

/** What is wished, over what was said before. Refuses invalid_request where an amount is not one of the rule's currency. */
export function changed(before: Changeable, wished: Wished, asset: string): Changeable {
  const minor = (pointer: string, money: MoneyWire | undefined, otherwise: bigint): bigint =>
    money === undefined ? otherwise : minorIn(asset, pointer, money);
  const bound = (field: 'minimum' | 'maximum'): bigint | null => {
    const money = wished[field];
    if (money === null) return null;
    return money === undefined ? before[field] : minorIn(asset, `/${field}`, money);
  };
  return {
    enabled: wished.enabled ?? before.enabled,
    transferType: wished.transfer_type === undefined ? before.transferType : wished.transfer_type,
    accountTypeId: wished.account_type_id === undefined ? before.accountTypeId : wished.account_type_id,
    priority: wished.priority ?? before.priority,
    flat: minor('/flat', wished.flat, before.flat),
    rateBps: wished.rate_bps ?? before.rateBps,
    minimum: bound('minimum'),
    maximum: bound('maximum'),
    tierMode: wished.tier_mode ?? before.tierMode,
    tiers:
      wished.tiers?.map(({ above, flat, rate_bps }, index) => ({
        above: minor(`/tiers/${index}/above`, above, 0n).toString(),
        flat: minor(`/tiers/${index}/flat`, flat, 0n).toString(),
        rate_bps: rate_bps ?? '0',
      })) ?? before.tiers,
    validFrom: wished.valid_from === undefined ? before.validFrom : new Date(wished.valid_from),
    validTo: wished.valid_to === undefined ? before.validTo : moment(wished.valid_to),
  };
}

function moment(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/** The rules of the table, and the field that breaks them. */
const CONSTRAINTS: Readonly<Record<string, readonly [pointer: string, code: string, detail: string]>> = {
  fee_rule_ahead: ['/valid_from', 'in_the_past', 'must not lie in the past'],
  fee_rule_period: ['/valid_to', 'before_valid_from', 'must lie after valid_from'],
  fee_rule_bounds: ['/maximum', 'below_minimum', 'must not be below the minimum'],
  fee_rule_tiers_ascend: ['/tiers', 'not_ascending', 'must ascend from above zero'],
  fee_rule_monthly_is_flat: [
    '/purpose',
    'not_flat',
    'a monthly fee is flat and for whatever account type refers to it',
  ],
  fee_rule_versions_transfer_type_fkey: ['/transfer_type', 'unknown', 'there is no such transfer type'],
  fee_rule_versions_account_type_fits: [
    '/account_type_id',
    'unknown',
    'there is no such account type in the currency of the rule',
  ],
};

/** Runs the insert of a version; what the database refuses of it is a fault of the request. */
export async function refusingFaults(insert: Promise<unknown>): Promise<void> {
  try {
    await insert;
  } catch (error) {
    const name = error instanceof Error && 'constraint' in error ? String(error.constraint) : '';
    const fault = CONSTRAINTS[name];
    throw fault === undefined ? error : faultIn(...fault);
  }
}

export function feeRuleView(rule: FeeRuleRow): z.input<typeof wire.FeeRule> & { purpose: FeePurpose } {
  const money = (minor: bigint): MoneyWire => formatMoney({ minor, asset: rule.asset });
  return {
    id: rule.id,
    version: rule.version,
    version_in_force: rule.versionInForce,
    code: rule.code,
    purpose: rule.purpose,
    currency: rule.asset,
    description: rule.description,
    enabled: rule.enabled,
    transfer_type: rule.transferType,
    account_type_id: rule.accountTypeId,
    priority: rule.priority,
    flat: money(rule.flat),
    rate_bps: rule.rateBps,
    minimum: rule.minimum === null ? null : money(rule.minimum),
    maximum: rule.maximum === null ? null : money(rule.maximum),
    tier_mode: rule.tierMode,
    tiers: rule.tiers.map(({ above, flat, rate_bps }) => ({
      above: money(BigInt(above)),
      flat: money(BigInt(flat)),
      rate_bps,
    })),
    valid_from: rule.validFrom.toISOString(),
    valid_to: rule.validTo?.toISOString() ?? null,
    created_by: rule.createdBy,
    created_at: rule.createdAt.toISOString(),
  };
}
