/** Words are written with the entries: a search reads the books as they are, never a copy that lags. */

/** What a customer may see of another: the given name and the initial. Else a search would tell what the answer hides. */
const shownName = `
  create function shown_name(first_name text, last_name text) returns text language sql immutable strict parallel safe as $$
    select first_name || ' ' || left(last_name, 1) || '.'
  $$;
  grant execute on function shown_name to teller_app;
`;

/** Words of the entries of a table that looks like ledger_entries; a fee has those of its kind only, its payment is found. */
const writeWords = (entries: string): string => `
  with fresh as (
    insert into entry_words (owner_id, booked_at, account_id, seq, words)
      select a.owner_id, e.booked_at, e.account_id, e.seq, array['kind:' || x.kind] || case when e.part = 'principal' then search_terms(concat_ws(' ', x.description,
               other.number, other.iban, case when other.owner_id = a.owner_id then other.nickname else shown_name(u.first_name, u.last_name) end,
               b.name, b.iban, b.account)) else '{}' end
        from ${entries} e
        join accounts a on a.id = e.account_id and a.kind = 'customer'
        join ledger_transactions x on x.id = e.transaction_id
        left join lateral (select o.* from ledger_entries oe join accounts o on o.id = oe.account_id
                            where oe.transaction_id = e.transaction_id and oe.account_id <> e.account_id and o.kind = 'customer' limit 1) other on true
        left join users u on u.id = other.owner_id
        left join transfers t on x.source_type = 'transfer' and t.id = x.source_id and t.source_account_id = e.account_id
        left join beneficiaries b on b.id = t.beneficiary_id
      returning owner_id, words
  )
  insert into search_words (owner_id, word)
    select distinct f.owner_id, w.word from fresh f, unnest(f.words) w(word)
     where position(':' in w.word) = 0 and not exists (select from search_words s where s.owner_id = f.owner_id and s.word = w.word);
`;

/** A payment out of the bank is booked before its transfer is written: the payee's words come with the transfer. */
const triggers = `
  create function write_words_of_entries() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
  begin
    ${writeWords('written')}
    return null;
  end $$;
  create trigger ledger_entries_words after insert on ledger_entries
    referencing new table as written for each statement execute function write_words_of_entries();

  create function write_words_of_payee() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan as $$
  declare more text[];
  begin
    select search_terms(concat_ws(' ', b.name, b.iban, b.account)) into strict more from beneficiaries b where b.id = new.beneficiary_id;
    update entry_words w set words = array(select distinct u.word from unnest(w.words || more) u(word))
      from ledger_entries e
     where e.transaction_id = new.transaction_id and e.account_id = new.source_account_id and e.part = 'principal'
       and (w.owner_id, w.booked_at, w.account_id, w.seq) = (new.customer_id, e.booked_at, e.account_id, e.seq);
    insert into search_words (owner_id, word)
      select new.customer_id, m.word from unnest(more) m(word)
       where not exists (select from search_words s where s.owner_id = new.customer_id and s.word = m.word);
    return null;
  end $$;
  create trigger transfers_words after insert on transfers for each row
    when (new.beneficiary_id is not null and new.transaction_id is not null) execute function write_words_of_payee();

  ${writeWords('ledger_entries')}
`;

export const searchTriggers = shownName + triggers;
