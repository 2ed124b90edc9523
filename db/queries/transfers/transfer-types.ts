/** Kinds of transfer with their currencies and limits, as configured and as they are for one customer. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../domain/ids.ts';
import type { LimitSubject } from '../../../domain/limits.ts';
import type { TransferReach } from '../../../domain/transfers.ts';
import { row, rows } from '../../sql.ts';

/** A currency that a type is offered in; an amount above waits for an administrator. Minor units as text. */
export interface OfferedCurrency {
  readonly asset: string;
  readonly approval_above: string;
}

/** Limits from a level on, for one subject; null is none. Minor units as text. */
export interface LimitRow {
  readonly asset: string;
  readonly kyc_level: number;
  readonly subject: LimitSubject;
  readonly single: string | null;
  readonly day: string | null;
  readonly month: string | null;
}

export interface TransferTypeRow {
  readonly code: string;
  readonly name: string;
  readonly reach: TransferReach;
  readonly enabled: boolean;
  readonly approval_seconds: number;
  /** `HH:MM:SS`. */
  readonly cut_off: string | null;
  readonly cut_off_zone: string;
  readonly business_days_only: boolean;
  readonly currencies: readonly OfferedCurrency[];
  readonly limits: readonly LimitRow[];
  readonly updated_at: Date;
}

const limit = `jsonb_build_object('asset', l.asset, 'kyc_level', l.kyc_level, 'subject', l.subject, 'single', l.single::text,
                                  'day', l.day::text, 'month', l.month::text) order by l.asset, l.subject, l.kyc_level`;

const select = (limits: string): string => `
  select t.code, t.name, t.reach, t.enabled, t.approval_seconds, t.cut_off, t.cut_off_zone, t.business_days_only, t.updated_at,
         coalesce((select jsonb_agg(jsonb_build_object('asset', c.asset, 'approval_above', c.approval_above::text) order by c.asset)
            from transfer_type_currencies c where c.type_code = t.code), '[]') as currencies,
         coalesce((${limits}), '[]') as limits
    from transfer_types t`;

const CONFIGURED = select(`select jsonb_agg(${limit}) from transfer_limits l where l.type_code = t.code`);

/** Of each subject the row with the highest level that the customer has reached, or the lowest where that is none; as `limit_check`. */
const MINE = select(`select jsonb_agg(${limit}) from (
    select distinct on (r.asset, r.subject) r.* from transfer_limits r, users u
      where r.type_code = t.code and u.id = $3
      order by r.asset, r.subject, r.kyc_level <= u.kyc_level desc, case when r.kyc_level <= u.kyc_level then -r.kyc_level else r.kyc_level end) l`);

/** A page of all types by code, from after `after`. */
export function transferTypes(
  em: EntityManager,
  after: string | null,
  most: number,
): Promise<TransferTypeRow[]> {
  return rows(em, `${CONFIGURED} where t.code > $1 order by t.code limit $2`, [after ?? '', most]);
}

/** A page of the types that are switched on, with the limits of this customer. */
export function transferTypesFor(
  em: EntityManager,
  customer: UserId,
  after: string | null,
  most: number,
): Promise<TransferTypeRow[]> {
  return rows(em, `${MINE} where t.enabled and t.code > $1 order by t.code limit $2`, [
    after ?? '',
    most,
    customer,
  ]);
}

/** One type, switched on or off. */
export function transferType(em: EntityManager, code: string): Promise<TransferTypeRow | undefined> {
  return row(em, `${CONFIGURED} where t.code = $1`, [code]);
}

/** Whom the type reaches, where it is switched on and offered in the currency. */
export async function reachOfType(
  em: EntityManager,
  code: string,
  asset: string,
): Promise<TransferReach | undefined> {
  const found = await row<{ reach: TransferReach }>(
    em,
    `select t.reach from transfer_types t join transfer_type_currencies c on c.type_code = t.code
      where t.code = $1 and c.asset = $2 and t.enabled`,
    [code, asset],
  );
  return found?.reach;
}

/** What of a type's own row can be configured. */
export type TransferTypeSettings = Pick<
  TransferTypeRow,
  'name' | 'enabled' | 'approval_seconds' | 'cut_off' | 'cut_off_zone' | 'business_days_only'
>;

export async function configureTransferType(
  em: EntityManager,
  code: string,
  to: TransferTypeSettings,
): Promise<void> {
  await rows(
    em,
    `update transfer_types set name = $2, enabled = $3, approval_seconds = $4, cut_off = $5, cut_off_zone = $6, business_days_only = $7,
            updated_at = now() where code = $1`,
    [code, to.name, to.enabled, to.approval_seconds, to.cut_off, to.cut_off_zone, to.business_days_only],
  );
}

/** Offers the type in these currencies and in no other. */
export async function replaceCurrencies(
  em: EntityManager,
  code: string,
  currencies: readonly OfferedCurrency[],
): Promise<void> {
  await rows(em, 'delete from transfer_type_currencies where type_code = $1', [code]);
  await rows(
    em,
    `insert into transfer_type_currencies (type_code, asset, approval_above)
     select $1, c.asset, c.approval_above from jsonb_to_recordset($2::jsonb) as c(asset text, approval_above minor)`,
    [code, JSON.stringify(currencies)],
  );
}

/** Limits the type by these rows and by no other. */
export async function replaceLimits(
  em: EntityManager,
  code: string,
  limits: readonly LimitRow[],
): Promise<void> {
  await rows(em, 'delete from transfer_limits where type_code = $1', [code]);
  await rows(
    em,
    `insert into transfer_limits (type_code, asset, kyc_level, subject, single, day, month)
     select $1, l.asset, l.kyc_level, l.subject, l.single, l.day, l.month
       from jsonb_to_recordset($2::jsonb) as l(asset text, kyc_level smallint, subject text, single minor, day minor, month minor)`,
    [code, JSON.stringify(limits)],
  );
}

/** Whether the database knows the zone: it is the database that asks what time it is there. */
export async function isTimeZone(em: EntityManager, name: string): Promise<boolean> {
  const found = await row<{ known: boolean }>(
    em,
    'select exists (select from pg_timezone_names where name = $1) as known',
    [name],
  );
  return found?.known ?? false;
}
