/** Transfer types as the wire shows them, and what a request says of their currencies and limits. */
import type { z } from 'zod';
import type {
  LimitRow,
  OfferedCurrency,
  TransferTypeRow,
} from '../../../db/queries/transfers/transfer-types.ts';
import { formatMoney, type MoneyWire } from '../../../domain/money.ts';
import { faultIn } from '../../../domain/refusals.ts';
import { minorIn } from '../../wire/amounts.ts';
import type * as wire from './schemas.ts';

type Update = z.output<typeof wire.TransferTypeUpdate>;

export function transferTypeView(type: TransferTypeRow): z.input<typeof wire.TransferTypeConfig> {
  return {
    code: type.code,
    name: type.name,
    reach: type.reach,
    enabled: type.enabled,
    approval_seconds: type.approvalSeconds,
    cut_off: type.cutOff?.slice(0, 'HH:MM'.length) ?? null,
    cut_off_zone: type.cutOffZone,
    business_days_only: type.businessDaysOnly,
    currencies: type.currencies.map(({ asset, approvalAbove }) => ({
      currency: asset,
      approval_above: money(approvalAbove, asset),
    })),
    limits: type.limits.map(({ asset, kycLevel, subject, single, day, month }) => ({
      currency: asset,
      kyc_level: kycLevel,
      subject,
      single: single === null ? null : money(single, asset),
      day: day === null ? null : money(day, asset),
      month: month === null ? null : money(month, asset),
    })),
    updated_at: type.updatedAt.toISOString(),
  };
}

function money(minor: bigint, asset: string): MoneyWire {
  return formatMoney({ minor, asset });
}

/** Refuses invalid_request where a currency comes twice or an amount is not one of its own. */
export function currenciesOf(wished: NonNullable<Update['currencies']>): OfferedCurrency[] {
  refuseTwice(
    'currencies',
    wished.map(({ currency }) => currency),
  );
  return wished.map(({ currency, approval_above }, index) => ({
    asset: currency,
    approvalAbove: minorIn(currency, `/currencies/${index}/approval_above`, approval_above),
  }));
}

/** Refuses invalid_request where one subject has two limits at a level, or an amount is not one of the limit's currency. */
export function limitsOf(wished: NonNullable<Update['limits']>): LimitRow[] {
  refuseTwice(
    'limits',
    wished.map(({ currency, subject, kyc_level }) => `${currency} ${subject} ${kyc_level}`),
  );
  return wished.map(({ currency, kyc_level, subject, ...amounts }, index) => {
    const most = (period: 'single' | 'day' | 'month'): bigint | null => {
      const amount = amounts[period];
      return amount === null ? null : minorIn(currency, `/limits/${index}/${period}`, amount);
    };
    return {
      asset: currency,
      kycLevel: kyc_level,
      subject,
      single: most('single'),
      day: most('day'),
      month: most('month'),
    };
  });
}

function refuseTwice(field: string, keys: readonly string[]): void {
  const index = keys.findIndex((key, at) => keys.indexOf(key) < at);
  if (index >= 0) throw faultIn(`/${field}/${index}`, 'twice', 'is there already');
}
