/** Configuring the kinds of transfer. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { boolean, ownJson, text } from '../../rows/columns.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { TransferType } from '../../schema/transfers.ts';
import { settings, type LimitRow, type OfferedCurrency } from './transfer-types.ts';

/** Writes a type's own row. A statement, because MikroORM refuses a time of day without seconds. */
export const configureTransferType = statement({
  name: 'configureTransferType',
  takes: { ...columnsOf(TransferType, 'code'), ...settings },
  gives: {},
  sql: `
    update transfer_types
       set name = $name, enabled = $enabled, approval_seconds = $approvalSeconds, cut_off = $cutOff, cut_off_zone = $cutOffZone,
           business_days_only = $businessDaysOnly, updated_at = bank_now()
     where code = $code`,
});

const insertCurrencies = statement({
  name: 'insertCurrencies',
  takes: { ...columnsOf(TransferType, 'code'), currencies: ownJson<object[]>() },
  gives: {},
  sql: `
    insert into transfer_type_currencies (type_code, asset, approval_above)
    select $code, c.asset, c.approval_above from jsonb_to_recordset($currencies) as c(asset text, approval_above minor)`,
});

/** Offers the type in these currencies and in no other. */
export async function replaceCurrencies(
  db: EntityManager,
  code: string,
  currencies: readonly OfferedCurrency[],
): Promise<void> {
  await query(db).deleteFrom('transfer_type_currencies').where('typeCode', '=', code).execute();
  await insertCurrencies.run(db, {
    code,
    currencies: currencies.map(({ asset, approvalAbove }) => ({
      asset,
      approval_above: String(approvalAbove),
    })),
  });
}

const insertLimits = statement({
  name: 'insertLimits',
  takes: { ...columnsOf(TransferType, 'code'), limits: ownJson<object[]>() },
  gives: {},
  sql: `
    insert into transfer_limits (type_code, asset, kyc_level, subject, single, day, month)
    select $code, l.asset, l.kyc_level, l.subject, l.single, l.day, l.month
      from jsonb_to_recordset($limits) as l(asset text, kyc_level smallint, subject text, single minor, day minor, month minor)`,
});

/** Limits the type by these rows and by no other. */
export async function replaceLimits(
  db: EntityManager,
  code: string,
  limits: readonly LimitRow[],
): Promise<void> {
  const text = (amount: bigint | null): string | null => amount?.toString() ?? null;
  await query(db).deleteFrom('transfer_limits').where('typeCode', '=', code).execute();
  await insertLimits.run(db, {
    code,
    limits: limits.map(({ asset, kycLevel, subject, single, day, month }) => ({
      ...{ asset, kyc_level: kycLevel, subject },
      ...{ single: text(single), day: text(day), month: text(month) },
    })),
  });
}

/** Whether the database knows the zone: it is the database that asks what time it is there. */
export const isTimeZone = statement({
  name: 'isTimeZone',
  takes: { name: text() },
  gives: { known: boolean() },
  sql: 'select exists (select from pg_timezone_names where name = $name) as known',
});
