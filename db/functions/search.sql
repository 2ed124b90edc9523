-- The words under which entries are found: written with the entries, so that a search reads the books as they
-- are. If one of the first three functions changes, a migration has to write the words of all entries anew.

-- Returns a text without case, accents and forms of the same letter (Unicode NFKD, its marks left out, case
-- folded, NFC): "MÜLLER", "Müller" and "muller" are one. The marks are accents, Hebrew points and Arabic
-- vowel signs.
create or replace function search_normal(plain text) returns text
language sql immutable strict parallel safe set search_path = public, pg_temp as $$
  -- most texts are plain ASCII and need none of it
  select case when octet_length(plain) = char_length(plain) then lower(plain collate pg_unicode_fast) else
    translate(normalize(casefold(regexp_replace(normalize(plain, NFKD),
      '[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]', '', 'g') collate pg_unicode_fast), NFC),
      'łøđıħŧ', 'lodiht') end
$$;
grant execute on function search_normal to teller_app;

-- Cuts a text into the words under which it is found. Words are runs of letters and digits, cut at 40. A run
-- of a script that writes words without spaces between them (Thai, Lao, Khmer, Kana, Han) becomes every one
-- and every two neighbours of its signs, so that any part of it is found.
create or replace function search_terms(plain text) returns text[]
language plpgsql immutable strict parallel safe set search_path = public, pg_temp as $$
declare normal text := search_normal(left(plain, 2000)); terms text[]; run text;
begin
  if octet_length(normal) = char_length(normal) then
    return array(select distinct left(word, 40)
      from regexp_split_to_table(normal, '[^a-z0-9]+') word where word <> '');
  end if;
  select array_agg(distinct left(word, 40)) into terms
    from regexp_split_to_table(regexp_replace(normal,
      '[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+',
      ' ', 'g') collate pg_unicode_fast, '[^[:alnum:]]+') word where word <> '';
  if normal ~ '[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]' then
    for run in select (regexp_matches(normal,
      '[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+', 'g'))[1]
    loop
      select terms || array_agg(distinct part) into terms
        from generate_series(1, char_length(run)) i,
             lateral (values (substr(run, i, 1)), (substr(run, i, 2))) v(part);
    end loop;
    select array_agg(distinct term) into terms from unnest(terms) term;
  end if;
  return coalesce(terms, '{}');
end $$;
grant execute on function search_terms to teller_app;

-- Cuts a query into words: as search_terms, but of two signs and more only the pairs, which say the order
-- too.
create or replace function search_query(plain text) returns text[]
language sql immutable strict parallel safe set search_path = public, pg_temp as $$
  select coalesce(array_agg(term order by char_length(term) desc, term), '{}')
    from unnest(search_terms(plain)) term
    where term !~ '^[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]$'
       or not exists (select from unnest(search_terms(plain)) pair
         where char_length(pair) = 2 and pair ~
           '^[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+$'
           and position(term in pair) > 0)
$$;
grant execute on function search_query to teller_app;

-- Whether a word is spelt almost like the one asked for. From four letters on, one may be wrong, missing or
-- too many, from eight on two (not in numbers). From three on, the term may be inside the word, or two
-- letters may have changed places. Written so that PostgreSQL puts it into the query instead of calling it
-- for each word: not strict, no path of its own, no subquery.
create or replace function search_is_near(word text, term text) returns boolean
language sql immutable parallel safe as $$
  select case
    when position(term in word) > 0 then char_length(term) >= 3 or position(term in word) = 1
    when char_length(term) < 3 or term !~ '[^0-9]' or abs(char_length(word) - char_length(term)) > 2
      then false
    else public.levenshtein_less_equal(word, term, 2) <= case
      when char_length(word) = char_length(term)
        and translate(word, term, '') = '' and translate(term, word, '') = '' then 2
      when char_length(term) < 4 then 0 when char_length(term) < 8 then 1 else 2 end end
$$;
grant execute on function search_is_near to teller_app;

-- Returns what a customer may see of another customer's name: the given name and the initial. Otherwise a
-- search would reveal what the answer hides.
create or replace function shown_name(first_name text, last_name text) returns text
language sql immutable strict parallel safe as $$
  select first_name || ' ' || left(last_name, 1) || '.'
$$;
grant execute on function shown_name to teller_app;

-- Writes the words of new entries. A fee has only the word of its kind; its payment is found instead. Owner
-- and word come together (spoken): a plan that was made while there were no words would otherwise look one up
-- among all words of its owner.
create or replace function write_words_of_entries() returns trigger
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
set enable_material = off as $$
begin
  with fresh as (
    insert into entry_words (owner_id, booked_at, account_id, seq, words)
      select a.owner_id, e.booked_at, e.account_id, e.seq,
             array['kind:' || x.kind] || case when e.part = 'principal' then search_terms(concat_ws(' ',
               x.description, other.number, other.iban,
               case when other.owner_id = a.owner_id then other.nickname
                    else shown_name(u.first_name, u.last_name) end,
               b.name, b.iban, b.account, x.metadata->>'counterparty')) else '{}' end
        from written e
        join accounts a on a.id = e.account_id and a.kind = 'customer'
        join ledger_transactions x on x.id = e.transaction_id
        left join lateral (select o.* from ledger_entries oe join accounts o on o.id = oe.account_id
                            where oe.transaction_id = e.transaction_id
                              and oe.account_id <> e.account_id and o.kind = 'customer'
                            limit 1) other on true
        left join users u on u.id = other.owner_id
        left join transfers t
          on x.source_type = 'transfer' and t.id = x.source_id and t.source_account_id = e.account_id
        left join beneficiaries b on b.id = t.beneficiary_id
      returning owner_id, words
  ), spoken as materialized (
    select distinct f.owner_id, w.word from fresh f, unnest(f.words) w(word) where position(':' in w.word) = 0
  )
  insert into search_words (owner_id, word)
    select k.owner_id, k.word from spoken k
     where not exists (select from search_words s where s.owner_id = k.owner_id and s.word = k.word);
  return null;
end $$;

create or replace trigger ledger_entries_words after insert on ledger_entries
  referencing new table as written for each statement execute function write_words_of_entries();

-- Writes the words of the payee of a payment out of the bank: the payment is booked before its transfer is
-- written, so they come with the transfer.
create or replace function write_words_of_payee() returns trigger
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare more text[];
begin
  select search_terms(concat_ws(' ', b.name, b.iban, b.account)) into strict more
    from beneficiaries b where b.id = new.beneficiary_id;
  update entry_words w set words = array(select distinct u.word from unnest(w.words || more) u(word))
    from ledger_entries e
   where e.transaction_id = new.transaction_id and e.account_id = new.source_account_id
     and e.part = 'principal'
     and (w.owner_id, w.booked_at, w.account_id, w.seq)
         = (new.customer_id, e.booked_at, e.account_id, e.seq);
  insert into search_words (owner_id, word)
    select new.customer_id, m.word from unnest(more) m(word)
     where not exists (select from search_words s where s.owner_id = new.customer_id and s.word = m.word);
  return null;
end $$;

create or replace trigger transfers_words after insert on transfers for each row
  when (new.beneficiary_id is not null and new.transaction_id is not null)
  execute function write_words_of_payee();
