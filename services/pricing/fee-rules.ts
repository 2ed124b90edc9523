/** What the bank charges. A rule is never rewritten: a change is a new version from a date on, and the old ones stay to be read. */
import { record } from '../../db/queries/platform/audit.ts';
import {
  addFeeRule,
  addFeeRuleVersion,
  feeRuleById,
  type FeeRuleRow,
  type NewFeeRuleVersion,
} from '../../db/queries/pricing/fee-rules.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import type { TierMode } from '../../domain/pricing/fees.ts';
import type { CurrencyCode } from '../../domain/assets.ts';
import { FeeRuleId, type AccountTypeId, type CardProductId } from '../../domain/ids.ts';
import { formatMoney, moneyIn, type Money } from '../../domain/money.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { now } from '../../domain/time/now.ts';
import { minorIn } from '../amounts.ts';
import type { Call } from '../callers.ts';
import { fourEyes, type Place } from '../platform/four-eyes.ts';

/** What never changes of a rule. */
interface Identity {
  readonly id: FeeRuleId;
  readonly code: string;
  /** A row of fee_purposes. */
  readonly purpose: string;
  readonly asset: CurrencyCode;
}

/** What a new version may say; a field that is left out stays as it is. */
export interface FeeRuleChange {
  readonly description?: string;
  readonly enabled?: boolean;
  readonly transferType?: string | null;
  readonly accountTypeId?: AccountTypeId | null;
  readonly cardProductId?: CardProductId | null;
  readonly priority?: number;
  readonly flat?: Money;
  readonly rateBps?: string;
  readonly minimum?: Money | null;
  readonly maximum?: Money | null;
  readonly tierMode?: TierMode;
  readonly tiers?: readonly {
    readonly above: Money;
    readonly flat?: Money | undefined;
    readonly rate_bps?: string | undefined;
  }[];
  readonly validFrom?: Date;
  readonly validTo?: Date | null;
}

type Terms = Omit<NewFeeRuleVersion, 'version' | 'purpose' | 'asset'>;

/** Charges nothing, for every transfer and from now on. */
const NOTHING: Terms = {
  description: '',
  enabled: true,
  transferType: null,
  accountTypeId: null,
  cardProductId: null,
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

/** Whatever is charged otherwise than before waits for a second administrator, more or less. */
export const feeRuleFourEyes = fourEyes({
  resource: (at: Place<{ readonly id: FeeRuleId } | undefined>) => ['fee_rule', ruleAt(at)],
  state: async (db, at) => (await feeRuleById.first(db, { id: ruleAt(at) })) ?? null,
  loosens: (before, after) => before?.version !== after?.version,
  shown: told,
});

function ruleAt({ params, newId }: Place<{ readonly id: FeeRuleId } | undefined>): FeeRuleId {
  return params?.id ?? FeeRuleId.parse(newId);
}

/** Adds a rule with its first version. */
export async function createFeeRule(call: Call, rule: Identity, terms: FeeRuleChange): Promise<FeeRuleRow> {
  await faultsNamed(addFeeRule(call.db, rule));
  await addVersion(call, rule, 1, changed(NOTHING, terms, rule.asset));
  return recorded(call, rule.id, 'created', undefined);
}

/** Adds a version. It begins with the newest one if that is still to begin, otherwise now. */
export async function updateFeeRule(call: Call, id: FeeRuleId, change: FeeRuleChange): Promise<FeeRuleRow> {
  const before = found(await feeRuleById.first(call.db, { id }));
  if (Object.keys(change).length === 0) return before;
  const isPlanned = before.validFrom > now();
  const terms = changed({ ...before, validFrom: isPlanned ? before.validFrom : null }, change, before.asset);
  await addVersion(call, before, before.version + 1, terms);
  return recorded(call, id, 'updated', before);
}

function changed(before: Terms, { tiers, ...change }: FeeRuleChange, asset: string): Terms {
  const minor = (field: string, money: Money): bigint => minorIn(asset, `/${field}`, money);
  const { flat, minimum, maximum, ...same } = change;
  return {
    ...before,
    ...same,
    flat: flat === undefined ? before.flat : minor('flat', flat),
    minimum: minimum === undefined ? before.minimum : minimum && minor('minimum', minimum),
    maximum: maximum === undefined ? before.maximum : maximum && minor('maximum', maximum),
    tiers:
      tiers?.map(({ above, flat, rate_bps = '0' }, index) => ({
        above: String(minor(`tiers/${index}/above`, above)),
        flat: String(flat === undefined ? 0n : minor(`tiers/${index}/flat`, flat)),
        rate_bps,
      })) ?? before.tiers,
  };
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
  fee_rule_fits_its_purpose: [
    '/purpose',
    'not_flat',
    'only a transfer has a type, only a fee of cards has a card product, and a fee that is charged for no amount is flat',
  ],
  fee_rules_purpose: ['/purpose', 'unknown', 'there is no such purpose'],
  fee_rule_versions_transfer_type_fkey: ['/transfer_type', 'unknown', 'there is no such transfer type'],
  fee_rule_versions_account_type_fits: [
    '/account_type_id',
    'unknown',
    'there is no such account type in the currency of the rule',
  ],
  fee_rule_versions_card_product_fits: [
    '/card_product_id',
    'unknown',
    'there is no such card product in the currency of the rule',
  ],
};

async function addVersion(
  { db, actor }: Call,
  { id: ruleId, purpose, asset }: Identity,
  version: number,
  terms: Terms,
): Promise<void> {
  const row = { ...terms, ruleId, purpose, asset, version, createdBy: actor.id };
  await faultsNamed(addFeeRuleVersion.run(db, row));
}

/** What the database refuses of a rule is a fault of the request. */
async function faultsNamed(writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    const name = error instanceof Error && 'constraint' in error ? String(error.constraint) : '';
    const fault = CONSTRAINTS[name];
    throw fault === undefined ? error : faultIn(...fault);
  }
}

async function recorded(
  { db, actor }: Call,
  id: FeeRuleId,
  verb: 'created' | 'updated',
  before: FeeRuleRow | undefined,
): Promise<FeeRuleRow> {
  const after = await feeRuleById.one(db, { id });
  await record(db, actor, {
    action: `fee_rule.${verb}`,
    subject: ['fee_rule', id],
    before: before && told(before),
    after: told(after),
  });
  return after;
}

/** A version as the audit log keeps it. */
function told(rule: FeeRuleRow): AuditState {
  const money = moneyIn(rule.asset);
  const written = (minor: bigint | null) => (minor === null ? null : formatMoney(money(minor)));
  return {
    version: rule.version,
    enabled: rule.enabled,
    transfer_type: rule.transferType,
    account_type_id: rule.accountTypeId,
    card_product_id: rule.cardProductId,
    priority: rule.priority,
    flat: written(rule.flat),
    rate_bps: rule.rateBps,
    minimum: written(rule.minimum),
    maximum: written(rule.maximum),
    tiers: rule.tiers.map(({ above, flat, rate_bps }) => ({
      above: written(BigInt(above)),
      flat: written(BigInt(flat)),
      rate_bps,
    })),
    valid_from: rule.validFrom,
    valid_to: rule.validTo,
  };
}
