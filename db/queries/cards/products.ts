/** Card products by their newest version. Versions are only added to. */
import type { AccountTypeId, CardProductId, UserId } from '../../../domain/ids.ts';
import { CARD_FEE_PURPOSES, type WantedScaRemote } from '../../../domain/cards/products.ts';
import {
  bigCount,
  boolean,
  decimal,
  id,
  idArray,
  integer,
  oneOf,
  ownJson,
  text,
  type RowOf,
} from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { CardProduct, CardProductVersion } from '../../schema/cards.ts';
import { FeeRuleVersion } from '../../schema/pricing.ts';

const stands = columnsOf(
  CardProduct,
  'id',
  'code',
  'paymentSystemId',
  'kind',
  'asset',
  'version',
  'createdAt',
  'updatedAt',
);
const said = columnsOf(
  CardProductVersion,
  'name',
  'enabled',
  'accountTypeIds',
  'validityMonths',
  'holdRules',
  'controls',
  'limits',
  'sca',
  'scaRemote',
  'pinTries',
  'standInLimit',
);
const product = { ...stands, ...said };
/** A product as it is now. Amounts are minor units of its currency. */
export type CardProductRow = RowOf<typeof product>;

const SELECT = `
  select ${selectList(stands, 'p')}, ${selectList(said, 'v')}
    from card_products p join card_product_versions v on v.product_id = p.id and v.version = p.version`;

/** One product. */
export const cardProductById = statement({
  name: 'cardProductById',
  takes: { id: stands.id },
  gives: product,
  sql: `${SELECT} where p.id = $id`,
});

/** A page of products, oldest first, from behind `after`; only those that are enabled, or disabled, if that is given. */
export const cardProducts = statement({
  name: 'cardProducts',
  takes: { enabled: boolean().nullable(), after: stands.id.nullable(), most: bigCount() },
  gives: product,
  sql: `
    ${SELECT}
     where p.id > coalesce($after::uuid, '00000000-0000-0000-0000-000000000000') and v.enabled = coalesce($enabled, v.enabled)
     order by p.id limit $most`,
});

const offered = { ...product, schemeCode: text(), schemeName: text() };
/** A product with the payment system that it belongs to. */
export type OfferedCardProductRow = RowOf<typeof offered>;

/** A page of the products that are issued, oldest first, from behind `after`; those for one type of account, if that is given. */
export const offeredCardProducts = statement({
  name: 'offeredCardProducts',
  takes: { accountType: id<AccountTypeId>().nullable(), after: stands.id.nullable(), most: bigCount() },
  gives: offered,
  sql: `
    select ${selectList(stands, 'p')}, ${selectList(said, 'v')}, s.code as scheme_code, s.name as scheme_name
      from card_products p join card_product_versions v on v.product_id = p.id and v.version = p.version
      join card_payment_systems s on s.id = p.payment_system_id
     where p.id > coalesce($after::uuid, '00000000-0000-0000-0000-000000000000') and v.enabled
       and ($accountType::uuid is null or (v.account_type_ids = '[]' or v.account_type_ids ? $accountType::text)
         and p.asset = (select t.asset from account_types t where t.id = $accountType))
     order by p.id limit $most`,
});

const tariff = columnsOf(FeeRuleVersion, 'description', 'flat', 'minimum', 'maximum', 'tierMode', 'tiers');
const cardFee = {
  ...{ productId: stands.id, purpose: oneOf(CARD_FEE_PURPOSES) },
  ...{ ...tariff, rateBps: decimal() },
};
/** What is charged for a card or its payments, in minor units of the currency of its product. */
export type CardFeeRow = RowOf<typeof cardFee>;

/** What the cards of these products cost now on a type of account; without one, what they cost on every type. */
export const feesOfCardProducts = statement({
  name: 'feesOfCardProducts',
  takes: { products: idArray<CardProductId>(), accountType: id<AccountTypeId>().nullable() },
  gives: cardFee,
  sql: `
    select p.id as product_id, q.purpose, ${selectList(tariff, 'f')}, trim_scale(f.rate_bps) as rate_bps
      from card_products p
      cross join unnest(array[${CARD_FEE_PURPOSES.map((purpose) => `'${purpose}'`).join(', ')}]) with ordinality q(purpose, place)
      cross join lateral card_fee_rules(q.purpose, p.asset, $accountType, p.id) f
     where p.id = any ($products::uuid[]) order by p.id, q.place, f.rule_id`,
});

/** Holds a product until the transaction ends, so that its versions follow one another. */
export const lockCardProduct = statement({
  name: 'lockCardProduct',
  takes: { id: stands.id },
  gives: {},
  sql: 'select from card_products p where p.id = $id for no key update',
});

/** Writes what of a product never changes. Its first version follows. */
export const addCardProduct = statement({
  name: 'addCardProduct',
  takes: columnsOf(CardProduct, 'id', 'code', 'paymentSystemId', 'kind', 'asset'),
  gives: {},
  sql: `
    insert into card_products (id, code, payment_system_id, kind, asset)
    values ($id, $code, $paymentSystemId, $kind, $asset)`,
});

/** Writes a version and makes it the newest one. The database fills in what is null of `scaRemote`. */
export const addCardProductVersion = statement({
  name: 'addCardProductVersion',
  takes: {
    ...columnsOf(CardProductVersion, 'productId', 'version', 'createdBy'),
    ...said,
    scaRemote: ownJson<WantedScaRemote>(),
  },
  gives: {},
  sql: `
    with newest as (
      update card_products set version = $version, updated_at = bank_now() where id = $productId
    )
    insert into card_product_versions (product_id, version, name, enabled, account_type_ids, validity_months, hold_rules, controls,
                                       limits, sca, sca_remote, pin_tries, stand_in_limit, created_by)
    values ($productId, $version, $name, $enabled, $accountTypeIds, $validityMonths, $holdRules, $controls,
            $limits, $sca, $scaRemote, $pinTries, $standInLimit, $createdBy)`,
});

/** Which of these account types there are in a currency. */
export const accountTypesIn = statement({
  name: 'accountTypesIn',
  takes: { ids: columnsOf(CardProductVersion, 'accountTypeIds').accountTypeIds, asset: stands.asset },
  gives: { known: bigCount() },
  sql: `
    select count(*) as known from account_types t
     where t.asset = $asset and t.id::text in (select jsonb_array_elements_text($ids::jsonb))`,
});

/** What versions of a product say that open cards are under. */
export const issuedTerms = statement({
  name: 'issuedCardProductTerms',
  takes: { product: stands.id },
  gives: { version: columnsOf(CardProductVersion, 'version').version, ...said },
  sql: `
    select v.version, ${selectList(said, 'v')} from card_product_versions v
     where v.product_id = $product
       and exists (select from cards c where c.product_id = v.product_id and c.product_version = v.version and c.status <> 'closed')
     order by v.version`,
});

/** Puts the open cards of a product under its newest version; answers how many. */
export const applyCardProduct = statement({
  name: 'applyCardProduct',
  takes: { product: stands.id, by: id<UserId>().nullable() },
  gives: { cards: integer() },
  sql: 'select card_product_apply($product, $by) as cards',
});
