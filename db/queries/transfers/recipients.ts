/** Whom a customer has paid: each once, with the newest payment. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, BeneficiaryId, TransferId, UserId } from '../../../domain/ids.ts';
import { rows } from '../../sql.ts';

/** A destination of the customer's transfers; amounts in minor units. */
export interface RecipientRow {
  readonly transfer_id: TransferId;
  /** One of the two. */
  readonly account_id: AccountId | null;
  readonly beneficiary_id: BeneficiaryId | null;
  readonly own: boolean;
  readonly name: string;
  readonly number: string | null;
  readonly iban: string | null;
  readonly bic: string | null;
  readonly country: string | null;
  readonly type_code: string;
  readonly asset: string;
  readonly amount: string;
  readonly last_used_at: Date;
}

const PAID = `t.customer_id = $1 and t.kind = 'transfer' and t.status not in ('rejected', 'cancelled', 'expired', 'failed')`;
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
  select t.id as transfer_id, case when b.id is null then a.id end as account_id, b.id as beneficiary_id, coalesce(a.owner_id = $1, false) as own,
         coalesce(b.name, case when a.owner_id = $1 then coalesce(a.nickname, k.name) else shown_name(u.first_name, u.last_name) end) as name,
         case when b.id is null then a.number else b.account end as number, case when b.id is null then a.iban else b.iban end as iban,
         b.bic, b.country, t.type_code, t.asset, t.amount, t.created_at as last_used_at
    from page p
    join transfers t on t.id = p.id
    join accounts a on a.id = t.destination_account_id
    left join users u on u.id = a.owner_id
    left join account_types k on k.id = a.account_type_id
    left join beneficiaries b on b.id = t.beneficiary_id`;

/** A page of recipients, those paid last first, from below the transfer `before`. */
export function recipientsOf(
  em: EntityManager,
  customer: UserId,
  before: TransferId | null,
  most: number,
): Promise<RecipientRow[]> {
  return rows(
    em,
    `${RECIPIENTS}, page as materialized (
       select id from recipients where $2::uuid is null or id < $2::uuid order by id desc limit $3)
     ${WITH_DETAILS} order by p.id desc`,
    [customer, before, most],
  );
}

/** How many of the recipients paid last are searched. */
const SEARCHED = 500;

/**
 * Recipients with a word of name or number for every word asked for, those paid last first. `near`: also words that are spelt
 * almost so, by the same rule as for entries (see search.ts).
 */
export function recipientsLike(
  em: EntityManager,
  customer: UserId,
  text: string,
  closeness: 'exact' | 'near',
  most: number,
): Promise<RecipientRow[]> {
  return rows(
    em,
    `${RECIPIENTS}, page as materialized (select id from recipients order by id desc limit ${SEARCHED}), named as (${WITH_DETAILS})
     select n.* from named n, lateral (select search_terms(concat_ws(' ', n.name, n.number, n.iban)) as words) w
      where cardinality(search_query($2)) > 0 and not exists (
        select from unnest(search_query($2)) term where not exists (
          select from unnest(w.words) word where position(term in word) = 1 or ($3 and search_is_near(word, term))))
      order by n.transfer_id desc limit $4`,
    [customer, text, closeness === 'near', most],
  );
}
