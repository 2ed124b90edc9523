/** The bank's kinds of transfer, as the back office configures them. What waits already goes on as it was opened. */
import { record } from '../../db/queries/platform/audit.ts';
import {
  configureTransferType,
  isTimeZone,
  replaceCurrencies,
  replaceLimits,
} from '../../db/queries/transfers/transfer-type-settings.ts';
import {
  transferType,
  type LimitRow,
  type OfferedCurrency,
  type TransferTypeRow,
  type TransferTypeSettings,
} from '../../db/queries/transfers/transfer-types.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import type { CurrencyCode } from '../../domain/assets.ts';
import type { LimitSubject } from '../../domain/transfers/limits.ts';
import { loosensTransfers } from '../../domain/transfers/loosening.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { minorIn } from '../amounts.ts';
import type { Call } from '../callers.ts';
import { fourEyes, type Place } from '../platform/four-eyes.ts';

/** A field that is left out stays; currencies and limits replace the whole list. */
interface TypeChange extends Partial<TransferTypeSettings> {
  readonly currencies?: readonly { readonly currency: CurrencyCode; readonly approval_above: Money }[];
  readonly limits?: readonly {
    readonly currency: CurrencyCode;
    readonly kyc_level: number;
    readonly subject: LimitSubject;
    readonly single: Money | null;
    readonly day: Money | null;
    readonly month: Money | null;
  }[];
}

/** A type that lets more leave the bank at once, in all or without an approval waits for a second administrator. */
export const typeFourEyes = fourEyes({
  resource: ({ params }: Place<{ readonly code: string }>) => ['transfer_type', params.code],
  state: async (db, { params }) => (await transferType.first(db, params)) ?? null,
  loosens: loosensTransfers,
  shown: told,
});

export async function configureType(
  { db, actor }: Call,
  code: string,
  { currencies, limits, ...settings }: TypeChange,
): Promise<TransferTypeRow> {
  const before = found(await transferType.first(db, { code }));
  const { cutOffZone: zone } = settings;
  if (zone !== undefined && !(await isTimeZone.one(db, { name: zone })).known)
    throw faultIn('/cut_off_zone', 'unknown', 'is not a time zone');
  await configureTransferType.run(db, { ...before, ...settings });
  if (currencies !== undefined) await replaceCurrencies(db, code, currenciesOf(currencies));
  if (limits !== undefined) await replaceLimits(db, code, limitsOf(limits));
  const after = await transferType.one(db, { code });
  await record(db, actor, {
    action: 'transfer_type.updated',
    subject: ['transfer_type', code],
    before: told(before),
    after: told(after),
  });
  return after;
}

/** Refuses invalid_request if a currency comes twice or an amount is not one of its own. */
function currenciesOf(wanted: NonNullable<TypeChange['currencies']>): OfferedCurrency[] {
  refuseTwice(
    'currencies',
    wanted.map(({ currency }) => currency),
  );
  return wanted.map(({ currency: asset, approval_above }, index) => ({
    asset,
    approvalAbove: minorIn(asset, `/currencies/${index}/approval_above`, approval_above),
  }));
}

/** Refuses invalid_request if one subject has two limits at a level, or an amount is not one of the limit's currency. */
function limitsOf(wanted: NonNullable<TypeChange['limits']>): LimitRow[] {
  refuseTwice(
    'limits',
    wanted.map(({ currency, subject, kyc_level }) => `${currency} ${subject} ${kyc_level}`),
  );
  return wanted.map(({ currency: asset, kyc_level: kycLevel, subject, ...amounts }, index) => {
    const most = (period: 'single' | 'day' | 'month'): bigint | null =>
      amounts[period] && minorIn(asset, `/limits/${index}/${period}`, amounts[period]);
    return { asset, kycLevel, subject, single: most('single'), day: most('day'), month: most('month') };
  });
}

function refuseTwice(field: string, keys: readonly string[]): void {
  const index = keys.findIndex((key, at) => keys.indexOf(key) < at);
  if (index >= 0) throw faultIn(`/${field}/${index}`, 'twice', 'is there already');
}

/** A type as the audit log keeps it. */
function told(type: TransferTypeRow): AuditState {
  const written = (minor: bigint | null, asset: string) =>
    minor === null ? null : formatMoney({ minor, asset });
  return {
    name: type.name,
    enabled: type.enabled,
    approval_seconds: type.approvalSeconds,
    cut_off: type.cutOff?.slice(0, 'HH:MM'.length) ?? null,
    cut_off_zone: type.cutOffZone,
    business_days_only: type.businessDaysOnly,
    currencies: type.currencies.map(({ asset, approvalAbove }) => ({
      currency: asset,
      approval_above: written(approvalAbove, asset),
    })),
    limits: type.limits.map(({ asset, kycLevel, subject, single, day, month }) => ({
      currency: asset,
      kyc_level: kycLevel,
      subject,
      single: written(single, asset),
      day: written(day, asset),
      month: written(month, asset),
    })),
  };
}
