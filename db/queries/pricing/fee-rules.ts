/** Fee rules and their versions. Both are only added to. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { FeePurpose, TierMode } from '../../../domain/fees.ts';
import type { AccountTypeId, FeeRuleId, UserId } from '../../../domain/ids.ts';
import { row, rows } from '../../sql.ts';

/** One version of a rule. Amounts are minor units of the rule's currency and rates basis points, both as text. */
export interface FeeRuleVersion {
  readonly id: FeeRuleId;
  readonly version: number;
  readonly code: string;
  readonly purpose: FeePurpose;
  readonly asset: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly transfer_type: string | null;
  readonly account_type_id: AccountTypeId | null;
  readonly priority: number;
  readonly flat: string;
  readonly rate_bps: string;
  readonly minimum: string | null;
  readonly maximum: string | null;
  readonly tier_mode: TierMode;
  readonly tiers: readonly { readonly above: string; readonly flat: string; readonly rate_bps: string }[];
  readonly valid_from: Date;
  readonly valid_to: Date | null;
  readonly created_by: UserId | null;
  readonly created_at: Date;
  /** The version that is charged now; null where none is. */
  readonly version_in_force: number | null;
}

/** What a new version says; `validFrom` null is from now on. */
export type NewFeeRuleVersion = Omit<
  FeeRuleVersion,
  'id' | 'created_by' | 'created_at' | 'valid_from' | 'version_in_force'
> & { readonly valid_from: Date | null };

const COLUMNS = `
  r.id, r.code, r.purpose, r.asset, v.version, v.description, v.enabled, v.transfer_type, v.account_type_id, v.priority,
  v.flat, trim_scale(v.rate_bps) as rate_bps, v.minimum, v.maximum, v.tier_mode, v.tiers, v.valid_from, v.valid_to, v.created_by, v.created_at,
  (select case when n.enabled and (n.valid_to is null or n.valid_to > now()) then n.version end
     from fee_rule_versions n where n.rule_id = r.id and n.valid_from <= now() order by n.version desc limit 1) as version_in_force`;

const NEWEST = `
  from fee_rules r cross join lateral (
    select * from fee_rule_versions n where n.rule_id = r.id order by n.version desc limit 1) v`;

const FIRST = '00000000-0000-0000-0000-000000000000';

/** The newest version of a rule, also where it is not in force yet. */
export function feeRuleById(em: EntityManager, id: FeeRuleId): Promise<FeeRuleVersion | undefined> {
  return row(em, `select ${COLUMNS} ${NEWEST} where r.id = $1`, [id]);
}

/** What a list of rules may be narrowed to. */
export interface FeeRuleFilter {
  readonly purpose?: string | undefined;
  readonly currency?: string | undefined;
  readonly code?: string | undefined;
  readonly transfer_type?: string | undefined;
  readonly account_type_id?: string | undefined;
  readonly enabled?: boolean | undefined;
}

/** A page of rules by their newest version, oldest rule first, from after `after`. */
export function feeRules(
  em: EntityManager,
  filter: FeeRuleFilter,
  after: FeeRuleId | null,
  most: number,
): Promise<FeeRuleVersion[]> {
  return rows(
    em,
    `select ${COLUMNS} ${NEWEST}
      where r.id > $1::uuid and ($2::text is null or r.purpose = $2) and ($3::text is null or r.asset = $3)
        and ($4::text is null or r.code = $4) and ($5::text is null or v.transfer_type = $5)
        and ($6::uuid is null or v.account_type_id = $6::uuid) and ($7::boolean is null or v.enabled = $7)
      order by r.id limit $8`,
    [
      after ?? FIRST,
      filter.purpose ?? null,
      filter.currency ?? null,
      filter.code ?? null,
      filter.transfer_type ?? null,
      filter.account_type_id ?? null,
      filter.enabled ?? null,
      most,
    ],
  );
}

/** A page of the versions of a rule, newest first, from below `before`. */
export function feeRuleVersions(
  em: EntityManager,
  id: FeeRuleId,
  before: number | null,
  most: number,
): Promise<FeeRuleVersion[]> {
  return rows(
    em,
    `select ${COLUMNS} from fee_rules r join fee_rule_versions v on v.rule_id = r.id
      where r.id = $1 and v.version < $2 order by v.version desc limit $3`,
    [id, before ?? 2_147_483_647, most],
  );
}

/** Writes what of a rule never changes. Its first version follows. */
export async function addFeeRule(
  em: EntityManager,
  id: FeeRuleId,
  { code, purpose, asset }: Pick<NewFeeRuleVersion, 'code' | 'purpose' | 'asset'>,
): Promise<void> {
  await rows(em, 'insert into fee_rules (id, code, purpose, asset) values ($1, $2, $3, $4)', [
    id,
    code,
    purpose,
    asset,
  ]);
}

/** Writes a version. What no rule may say, a constraint of the table refuses. */
export async function addFeeRuleVersion(
  em: EntityManager,
  id: FeeRuleId,
  by: UserId | null,
  version: NewFeeRuleVersion,
): Promise<void> {
  await rows(
    em,
    `insert into fee_rule_versions (rule_id, version, purpose, asset, description, enabled, transfer_type, account_type_id, priority,
                                    flat, rate_bps, minimum, maximum, tier_mode, tiers, valid_from, valid_to, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, coalesce($16::timestamptz, date_trunc('milliseconds', now())), $17, $18)`,
    [
      id,
      version.version,
      version.purpose,
      version.asset,
      version.description,
      version.enabled,
      version.transfer_type,
      version.account_type_id,
      version.priority,
      version.flat,
      version.rate_bps,
      version.minimum,
      version.maximum,
      version.tier_mode,
      JSON.stringify(version.tiers),
      version.valid_from,
      version.valid_to,
      by,
    ],
  );
}
