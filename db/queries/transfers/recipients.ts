/** Whom a customer has paid: each once, with the newest payment. */
import { bigCount, boolean, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { Account } from '../../schema/accounts.ts';
import { Beneficiary, Transfer } from '../../schema/transfers.ts';

const { id, customerId } = columnsOf(Transfer, 'id', 'customerId');
const payee = columnsOf(Beneficiary, 'id', 'iban', 'bic', 'country');

const recipient = {
  transferId: id,
  // one of the two
  accountId: columnsOf(Account, 'id').id.nullable(),
  beneficiaryId: payee.id.nullable(),
  own: boolean(),
  name: text(),
  number: text().nullable(),
  iban: payee.iban,
  bic: payee.bic,
  country: payee.country.nullable(),
  // every transfer of a customer has a type
  typeCode: text(),
  ...columnsOf(Transfer, 'asset', 'amount'),
  lastUsedAt: columnsOf(Transfer, 'createdAt').createdAt,
};
/** A destination of the customer's transfers, with the last payment to it. */
export type RecipientRow = RowOf<typeof recipient>;

const PAID = `t.customer_id = $customerId and t.kind = 'transfer' and t.status not in ('rejected', 'cancelled', 'expired', 'failed')`;
const TARGET = 'coalesce(t.beneficiary_id, t.destination_account_id)';

/** From one recipient to the next through the index: costs one look-up for each recipient, however many payments they got. */
const RECIPIENTS = `
  with recursive recipients as (
    (select t.id, ${TARGET} as target from transfers t where ${PAID} order by ${TARGET} desc, t.id desc limit 1)
    union all
    select n.id, n.target from recipients r cross join lateral (
      select t.id, ${TARGET} as target from transfers t where ${PAID} and ${TARGET} < r.target order by ${TARGET} desc, t.id desc limit 1) n
  )`;

const WITH_DETAILS = `
  select t.id as transfer_id, case when b.id is null then a.id end as account_id, b.id as beneficiary_id, coalesce(a.owner_id = $customerId, false) as own,
         coalesce(b.name, case when a.owner_id = $customerId then coalesce(a.nickname, k.name) else shown_name(u.first_name, u.last_name) end) as name,
         case when b.id is null then a.number else b.account end as number, case when b.id is null then a.iban else b.iban end as iban,
         b.bic, b.country, t.type_code, t.asset, t.amount, t.created_at as last_used_at
    from page p
    join transfers t on t.id = p.id
    join accounts a on a.id = t.destination_account_id
    left join users u on u.id = a.owner_id
    left join account_types k on k.id = a.account_type_id
    left join beneficiaries b on b.id = t.beneficiary_id`;

/** A page of recipients, those paid last first, from below the transfer `before`. */
export const recipientsOf = statement({
  name: 'recipientsOf',
  takes: { customerId, before: id.nullable(), most: bigCount() },
  gives: recipient,
  sql: `
    ${RECIPIENTS}, page as materialized (
      select id from recipients where $before::uuid is null or id < $before::uuid order by id desc limit $most)
    ${WITH_DETAILS} order by p.id desc`,
});

/** How many of the recipients paid last are searched. */
const SEARCHED = 500;

/**
 * Recipients with a word of name or number for every word asked for, those paid last first. `near`: also words that are spelt
 * almost so, by the same rule as for entries (see search.ts).
 */
export const recipientsLike = statement({
  name: 'recipientsLike',
  takes: { customerId, text: text(), near: boolean(), most: bigCount() },
  gives: recipient,
  sql: `
    ${RECIPIENTS}, page as materialized (select id from recipients order by id desc limit ${SEARCHED}), named as (${WITH_DETAILS})
    select n.* from named n, lateral (select search_terms(concat_ws(' ', n.name, n.number, n.iban)) as words) w
     where cardinality(search_query($text)) > 0 and not exists (
       select from unnest(search_query($text)) term where not exists (
         select from unnest(w.words) word where position(term in word) = 1 or ($near and search_is_near(word, term))))
     order by n.transfer_id desc limit $most`,
});
