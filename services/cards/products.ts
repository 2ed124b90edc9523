/** The cards that the bank offers. A change is a new version: cards keep the version that they were issued under. */
import {
  accountTypesIn,
  addCardProduct,
  addCardProductVersion,
  applyCardProduct,
  cardProductById,
  issuedTerms,
  lockCardProduct,
  type CardProductRow,
} from '../../db/queries/cards/products.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { constraintOf } from '../../db/sql-state.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import type { CurrencyCode } from '../../domain/assets.ts';
import { loosensIssued, loosensProduct } from '../../domain/cards/loosening.ts';
import {
  inOrder,
  scopeName,
  type CardKind,
  type HoldRule,
  type LimitScope,
  type ProductControl,
  type ProductLimit,
  type ScaMode,
  type WantedScaRemote,
} from '../../domain/cards/products.ts';
import { CardProductId, type AccountTypeId, type CardPaymentSystemId } from '../../domain/ids.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { minorIn } from '../amounts.ts';
import type { Call } from '../callers.ts';
import { fourEyes, type Place } from '../platform/four-eyes.ts';

/** What never changes of a product. */
interface Identity {
  readonly id: CardProductId;
  readonly code: string;
  readonly paymentSystemId: CardPaymentSystemId;
  readonly kind: CardKind;
  readonly asset: CurrencyCode;
}

/** A limit as the request names it. */
export interface WantedLimit {
  readonly period: string;
  readonly scope?: LimitScope | undefined;
  readonly amount?: Money | null | undefined;
  readonly count?: number | null | undefined;
  readonly customer_may_loosen?: boolean | undefined;
}

/** What a version may say; a field that is left out stays, a list replaces the one before. */
export interface ProductChange {
  readonly name?: string;
  readonly enabled?: boolean;
  readonly accountTypeIds?: readonly AccountTypeId[];
  readonly validityMonths?: number;
  readonly holdRules?: readonly {
    readonly mcc: readonly string[];
    readonly days: number;
    readonly amount?: Money | null | undefined;
    readonly percent?: string | null | undefined;
  }[];
  readonly controls?: readonly (Omit<ProductControl, 'customer_may_loosen'> & {
    readonly customer_may_loosen?: boolean | undefined;
  })[];
  readonly limits?: readonly WantedLimit[];
  readonly sca?: {
    readonly mode: ScaMode;
    readonly amount?: Money | null | undefined;
    readonly count?: number | null | undefined;
    readonly remote?:
      { readonly amount?: Money | undefined; readonly count?: number | undefined } | undefined;
  };
  readonly pinTries?: number;
  readonly standInLimit?: Money;
}

type Terms = Pick<
  CardProductRow,
  | 'name'
  | 'enabled'
  | 'accountTypeIds'
  | 'validityMonths'
  | 'holdRules'
  | 'controls'
  | 'limits'
  | 'sca'
  | 'pinTries'
  | 'standInLimit'
> & {
  readonly scaRemote: WantedScaRemote;
};

/** A plain card: every second check as strict as the law asks, nothing approved while the bank is away. */
const PLAIN: Terms = {
  name: '',
  enabled: true,
  accountTypeIds: [],
  validityMonths: 48,
  holdRules: [],
  controls: [],
  limits: [],
  sca: { mode: 'count', amount: null, count: 5 },
  scaRemote: { amount: null, count: null },
  pinTries: 3,
  standInLimit: 0n,
};

/** A product that more people could get, or with which more could be paid, waits for a second administrator. */
export const productFourEyes = fourEyes({
  resource: (at: Place<{ readonly id: CardProductId } | undefined>) => ['card_product', productAt(at)],
  state: async (db, at) => {
    const product = await cardProductById.first(db, { id: productAt(at) });
    return product === undefined
      ? null
      : { ...product, issued: await issuedTerms.all(db, { product: product.id }) };
  },
  loosens: (before, after) =>
    loosensProduct(before, after) || loosensIssued(before?.issued ?? [], after?.issued ?? []),
  shown: told,
});

function productAt({ params, newId }: Place<{ readonly id: CardProductId } | undefined>): CardProductId {
  return params?.id ?? CardProductId.parse(newId);
}

/** Adds a product with its first version. */
export async function createProduct(
  call: Call<'conflict'>,
  product: Identity,
  change: ProductChange,
): Promise<CardProductRow> {
  try {
    await addCardProduct.run(call.db, product);
  } catch (error) {
    if (constraintOf(error) === 'card_products_code_key')
      throw call.refusal('conflict', { detail: 'The code is taken by another card product.' });
    if (constraintOf(error) === 'card_products_payment_system_id_fkey')
      throw faultIn('/payment_system_id', 'unknown', 'there is no such payment system');
    throw error;
  }
  await addVersion(call, product, 1, changed(PLAIN, change, product.asset));
  return recorded(call, product.id, undefined);
}

/** Adds a version, under which cards are issued from now on, and those that are issued if the change says so. */
export async function updateProduct(
  call: Call,
  id: CardProductId,
  { applyToIssued = false, ...change }: ProductChange & { readonly applyToIssued?: boolean },
): Promise<CardProductRow> {
  const { db, actor } = call;
  await lockCardProduct.run(db, { id });
  const before = found(await cardProductById.first(db, { id }));
  await addVersion(call, before, before.version + 1, changed(before, change, before.asset));
  if (!applyToIssued) return recorded(call, id, before);
  const { cards } = await applyCardProduct.one(db, { product: id, by: actor.id });
  return recorded(call, id, before, { applied_to_cards: cards });
}

async function addVersion(
  { db, actor }: Call,
  { id: productId, asset }: Pick<Identity, 'id' | 'asset'>,
  version: number,
  terms: Terms,
): Promise<void> {
  const { known } = await accountTypesIn.one(db, { ids: terms.accountTypeIds, asset });
  if (known !== new Set(terms.accountTypeIds).size)
    throw faultIn('/account_type_ids', 'unknown', `must be account types in ${asset}`);
  await addCardProductVersion.run(db, { ...terms, productId, version, createdBy: actor.id });
}

function changed(before: Terms, change: ProductChange, asset: CurrencyCode): Terms {
  const { holdRules, controls, limits, sca, standInLimit, ...same } = change;
  return {
    ...before,
    ...same,
    holdRules: holdRules === undefined ? before.holdRules : holdRulesOf(holdRules, asset),
    controls: controls === undefined ? before.controls : controlsOf(controls),
    limits: limits === undefined ? before.limits : limitsOf(limits, asset),
    ...(sca === undefined ? {} : scaOf(sca, asset)),
    standInLimit:
      standInLimit === undefined ? before.standInLimit : minorIn(asset, '/stand_in_limit', standInLimit),
  };
}

function holdRulesOf(wanted: NonNullable<ProductChange['holdRules']>, asset: string): HoldRule[] {
  const categories = wanted.flatMap(({ mcc }) => mcc);
  if (new Set(categories).size < categories.length)
    throw faultIn('/hold_rules', 'twice', 'a category must be in one rule only');
  return wanted.map(({ mcc, days, amount = null, percent = null }, index) => ({
    ...{ mcc, days, percent },
    amount: minorText(amount, asset, `/hold_rules/${index}/amount`),
  }));
}

function controlsOf(wanted: NonNullable<ProductChange['controls']>): ProductControl[] {
  refuseTwice(
    'controls',
    wanted.map(({ type, mode }) => `${type} ${mode}`),
  );
  return wanted.map(({ customer_may_loosen = false, ...control }) => ({ ...control, customer_may_loosen }));
}

/** Limits as they are stored. Refuses invalid_request if two are of one period and scope, or an amount is not of the currency. */
function limitsOf(wanted: readonly WantedLimit[], asset: string): ProductLimit[] {
  refuseTwice(
    'limits',
    wanted.map(({ period, scope = 'all' }) => `${period} ${scopeName(scope)}`),
  );
  return wanted.map(({ period, scope = 'all', amount = null, count = null, ...more }, index) => ({
    ...{ period, scope: inOrder(scope), count },
    amount: minorText(amount, asset, `/limits/${index}/amount`),
    customer_may_loosen: more.customer_may_loosen ?? false,
  }));
}

function scaOf(wanted: NonNullable<ProductChange['sca']>, asset: string): Pick<Terms, 'sca' | 'scaRemote'> {
  const { mode, amount = null, count = null, remote } = wanted;
  if (mode !== 'off' && (mode === 'amount' ? amount : count) === null)
    throw faultIn(`/sca/${mode}`, 'required', 'is what the mode counts');
  return {
    sca: { mode, count, amount: minorText(amount, asset, '/sca/amount') },
    scaRemote: {
      amount: minorText(remote?.amount ?? null, asset, '/sca/remote/amount'),
      count: remote?.count ?? null,
    },
  };
}

function minorText(amount: Money | null, asset: string, pointer: string): string | null {
  return amount === null ? null : String(minorIn(asset, pointer, amount));
}

function refuseTwice(field: string, keys: readonly string[]): void {
  const index = keys.findIndex((key, at) => keys.indexOf(key) < at);
  if (index >= 0) throw faultIn(`/${field}/${index}`, 'twice', 'is there already');
}

async function recorded(
  { db, actor }: Call,
  id: CardProductId,
  before: CardProductRow | undefined,
  more: AuditState = {},
): Promise<CardProductRow> {
  const after = await cardProductById.one(db, { id });
  await record(db, actor, {
    action: `card_product.${before === undefined ? 'created' : 'updated'}`,
    subject: ['card_product', id],
    before: before && told(before),
    after: { ...told(after), ...more },
  });
  return after;
}

/** A version as the audit log keeps it. */
function told(product: CardProductRow): AuditState {
  const { asset } = product;
  const written = (minor: string | null) =>
    minor === null ? null : formatMoney({ minor: BigInt(minor), asset });
  return {
    code: product.code,
    name: product.name,
    version: product.version,
    enabled: product.enabled,
    account_type_ids: product.accountTypeIds,
    validity_months: product.validityMonths,
    hold_rules: product.holdRules.map((rule) => ({ ...rule, amount: written(rule.amount) })),
    controls: product.controls,
    limits: product.limits.map((limit) => ({ ...limit, amount: written(limit.amount) })),
    sca: {
      ...product.sca,
      amount: written(product.sca.amount),
      remote: { ...product.scaRemote, amount: written(product.scaRemote.amount) },
    },
    pin_tries: product.pinTries,
    stand_in_limit: formatMoney({ minor: product.standInLimit, asset }),
  };
}
