/** Fee rules and their versions. Both are only added to. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountTypeId, CardProductId, FeeRuleId } from '../../../domain/ids.ts';
import { bigCount, decimal, integer, type RowOf } from '../../rows/columns.ts';
import { composedStatement, narrowedTo } from '../../rows/composed.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList, type NewRow } from '../../rows/table-columns.ts';
import { FeeRule, FeeRuleVersion } from '../../schema/pricing.ts';

const rule = columnsOf(FeeRule, 'id', 'code', 'purpose', 'asset');
const said = columnsOf(
  FeeRuleVersion,
  'version',
  'description',
  'enabled',
  'transferType',
  'accountTypeId',
  'cardProductId',
  'priority',
  'flat',
  'minimum',
  'maximum',
  'tierMode',
  'tiers',
  'validTo',
);
const { rateBps } = columnsOf(FeeRuleVersion, 'rateBps');
const dated = columnsOf(FeeRuleVersion, 'validFrom', 'createdBy', 'createdAt');
const feeRule = {
  ...rule,
  ...said,
  ...dated,
  rateBps: decimal(),
  // the version that is charged now; null if none is
  versionInForce: integer().nullable(),
};
/** One version of a rule. Amounts are of the rule's currency, rates are basis points. */
export type FeeRuleRow = RowOf<typeof feeRule>;

const COLUMNS = `
  ${selectList(rule, 'r')}, ${selectList({ ...said, ...dated }, 'v')}, trim_scale(v.rate_bps) as rate_bps,
  (select case when n.enabled and (n.valid_to is null or n.valid_to > (select bank_now())) then n.version end
     from fee_rule_versions n where n.rule_id = r.id and n.valid_from <= (select bank_now()) order by n.version desc limit 1) as version_in_force`;

const NEWEST = `
  from fee_rules r cross join lateral (
    select * from fee_rule_versions n where n.rule_id = r.id order by n.version desc limit 1) v`;

/** The newest version of a rule, also where it is not in force yet. */
export const feeRuleById = statement({
  name: 'feeRuleById',
  takes: { id: rule.id },
  gives: feeRule,
  sql: `select ${COLUMNS} ${NEWEST} where r.id = $id`,
});

/** Which rules: what is left out is not narrowed to. From after `after`. */
export interface FeeRulePage {
  readonly purpose?: string | undefined;
  readonly asset?: string | undefined;
  readonly code?: string | undefined;
  readonly transferType?: string | undefined;
  readonly accountTypeId?: AccountTypeId | undefined;
  readonly cardProductId?: CardProductId | undefined;
  readonly enabled?: boolean | undefined;
  readonly after: FeeRuleId | null;
  readonly most: number;
}

const FIRST = '00000000-0000-0000-0000-000000000000';

/** A page of rules by their newest version, oldest rule first, from after `after`. */
export const feeRules = composedStatement({
  name: 'feeRules',
  gives: feeRule,
  compose(page: FeeRulePage, bind) {
    const { purpose, asset, code, transferType, accountTypeId, cardProductId, enabled, after, most } = page;
    const narrowing = {
      'r.id >': after ?? FIRST,
      'r.purpose =': purpose,
      'r.asset =': asset,
      'r.code =': code,
      'v.transfer_type =': transferType,
      'v.account_type_id =': accountTypeId,
      'v.card_product_id =': cardProductId,
      'v.enabled =': enabled,
    };
    return `select ${COLUMNS} ${NEWEST} where ${narrowedTo(narrowing, bind)} order by r.id limit ${bind(most)}`;
  },
  examples: [
    { after: null, most: 1 },
    {
      ...{ purpose: 'transfer', asset: 'EUR', code: 'fee', transferType: 'sepa' },
      ...{ accountTypeId: FIRST as AccountTypeId, cardProductId: FIRST as CardProductId },
      ...{ enabled: true, after: null, most: 1 },
    },
  ],
});

/** A page of the versions of a rule, newest first, from below `before`. */
export const feeRuleVersions = statement({
  name: 'feeRuleVersions',
  takes: { id: rule.id, before: integer().nullable(), most: bigCount() },
  gives: feeRule,
  sql: `
    select ${COLUMNS} from fee_rules r join fee_rule_versions v on v.rule_id = r.id
     where r.id = $id and v.version < coalesce($before, 2147483647) order by v.version desc limit $most`,
});

/** Writes what of a rule never changes. Its first version follows. */
export async function addFeeRule(
  db: EntityManager,
  { id, code, purpose, asset }: NewRow<typeof FeeRule>,
): Promise<void> {
  await query(db).insertInto('fee_rules').values({ id, code, purpose, asset }).execute();
}

/** Writes a version, which begins now if `validFrom` is null. What no rule may say, a constraint of the table refuses. */
export const addFeeRuleVersion = statement({
  name: 'addFeeRuleVersion',
  takes: {
    ...columnsOf(FeeRuleVersion, 'ruleId', 'purpose', 'asset', 'createdBy'),
    ...said,
    rateBps,
    validFrom: dated.validFrom.nullable(),
  },
  gives: {},
  sql: `
    insert into fee_rule_versions (rule_id, version, purpose, asset, description, enabled, transfer_type, account_type_id, card_product_id,
                                   priority, flat, rate_bps, minimum, maximum, tier_mode, tiers, valid_from, valid_to, created_by)
    values ($ruleId, $version, $purpose, $asset, $description, $enabled, $transferType, $accountTypeId, $cardProductId,
            $priority, $flat, $rateBps, $minimum, $maximum, $tierMode, $tiers,
            coalesce($validFrom::timestamptz, bank_now()), $validTo, $createdBy)`,
});

/** What a new version says, whosever and by whomever. */
export type NewFeeRuleVersion = Omit<RowOf<(typeof addFeeRuleVersion)['takes']>, 'ruleId' | 'createdBy'>;
