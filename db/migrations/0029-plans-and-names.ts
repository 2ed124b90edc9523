import { Migration } from '@mikro-orm/migrations';
import { chargeMonth as releasedChargeMonth } from './0020-account-fees.ts';
import { replaced } from './replaced.ts';

/** Fees get valid ids, an account opened twice at once is one, and logins and postings are planned well from a bank's first day. */
export class PlansAndNames extends Migration {
  override up(): void {
    this.addSql(nameUuid);
    this.addSql(chargeMonth);
    this.addSql(renewIds);
    this.addSql(openAccount);
    this.addSql('alter function start_session set plan_cache_mode = force_generic_plan');
    this.addSql(writeWords);
  }
}

/** The UUID of a name, the same every time: version 8 over SHA-256 (RFC 9562, section 5.8 and appendix B.2). */
const nameUuid = `
  create function name_uuid(name text) returns uuid language sql immutable strict parallel safe
    return (select encode(set_byte(set_byte(h, 6, get_byte(h, 6) & 15 | 128), 8, get_byte(h, 8) & 63 | 128), 'hex')::uuid
              from (select substring(sha256(convert_to(name, 'UTF8')) for 16)) hash (h));
`;

/** As before, but for the id and for two that charge an account for the first time at once. */
const chargeMonth = replaced(
  releasedChargeMonth,
  ["md5('account_fee/'", "name_uuid('account_fee/'"],
  ["'YYYY-MM'))::uuid, a.id", "'YYYY-MM')), a.id"],
  ['on conflict (account_id, month) do nothing', 'on conflict do nothing'],
);

/** An MD5 is no UUID that a client has to take. What was booked keeps its source; the fee names its transaction. */
const renewIds = `
  alter table account_fees disable trigger account_fees_change;
  update account_fees set id = name_uuid('account_fee/' || account_id || '/' || to_char(month, 'YYYY-MM'));
  alter table account_fees enable trigger account_fees_change;
`;

/**
 * As before, but any unique key may be the one that a repeat at the same moment meets: before it writes, PostgreSQL looks only at
 * the key that a conflict clause names, and raises an error for the others while it writes.
 */
const openAccount = `
  create or replace function open_account(new_id uuid, new_owner uuid, type_id uuid, new_nickname text, new_number text, new_iban text) returns void
  language sql security definer set search_path = public, pg_temp as $$
    insert into accounts (id, kind, owner_id, account_type_id, number, iban, nickname, asset, overdraft_limit, max_balance)
      select new_id, 'customer', new_owner, t.id, new_number, new_iban, new_nickname, t.asset, t.overdraft_limit - t.min_balance, t.max_balance
        from account_types t where t.id = type_id and t.enabled
      on conflict do nothing
  $$;
`;

/** Owner and word come together (`spoken`): a plan made while there are no words yet would else look one up among all of its owner's. */
const writeWords = `
  create or replace function write_words_of_entries() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
  begin
    with fresh as (
      insert into entry_words (owner_id, booked_at, account_id, seq, words)
        select a.owner_id, e.booked_at, e.account_id, e.seq, array['kind:' || x.kind] || case when e.part = 'principal' then search_terms(concat_ws(' ', x.description,
                 other.number, other.iban, case when other.owner_id = a.owner_id then other.nickname else shown_name(u.first_name, u.last_name) end,
                 b.name, b.iban, b.account)) else '{}' end
          from written e
          join accounts a on a.id = e.account_id and a.kind = 'customer'
          join ledger_transactions x on x.id = e.transaction_id
          left join lateral (select o.* from ledger_entries oe join accounts o on o.id = oe.account_id
                              where oe.transaction_id = e.transaction_id and oe.account_id <> e.account_id and o.kind = 'customer' limit 1) other on true
          left join users u on u.id = other.owner_id
          left join transfers t on x.source_type = 'transfer' and t.id = x.source_id and t.source_account_id = e.account_id
          left join beneficiaries b on b.id = t.beneficiary_id
        returning owner_id, words
    ), spoken as materialized (
      select distinct f.owner_id, w.word from fresh f, unnest(f.words) w(word) where position(':' in w.word) = 0
    )
    insert into search_words (owner_id, word)
      select k.owner_id, k.word from spoken k where not exists (select from search_words s where s.owner_id = k.owner_id and s.word = k.word);
    return null;
  end $$;
`;
