-- Addresses of coins are compared with those that stand on sanctions lists. An address stands on a list or it
-- does not: there is no likeness as there is between names. Upper and lower case count as the same, because
-- lists do not keep to either, and in practice no two addresses differ by case alone.

-- Returns the entries in force that have an address.
create or replace function screening_listed(address text) returns setof screening_entries
language sql stable set search_path = public, pg_temp as $$
  select e.* from screening_entries e
   where e.removed_version is null and lower(jsonb_path_query_array(e.details,
       '$.identifiers[*] ? (@.type == "crypto_address").value')::text)::jsonb ? lower(address)
   order by e.id
$$;

-- Returns what aml_keep_hits writes down of a movement whose counterparty has an address of an entry.
create or replace function screening_address_hit(m aml_movements, e screening_entries, action text)
returns jsonb
language sql stable set search_path = public, pg_temp as $$
  select aml_hit(m, 'hit', action, 'critical', explanation) || jsonb_build_object('kind', 'sanctions',
      'match', jsonb_build_object('list', e.source, 'list_version', (select max(l.version)
          from screening_list_loads l where l.source = e.source and l.status = 'loaded'),
        'entry_id', e.ref, 'programme', e.programme, 'reference', e.reference, 'score', 100,
        'asked', jsonb_build_object('address', m.counterparty), 'changed', '[]'::jsonb,
        'explanation', jsonb_build_object('summary', explanation->'text')))
    from jsonb_build_object('leaves', '[]'::jsonb, 'movements', '[]'::jsonb, 'text', format(
      'The list %s has the address %s under the name %s.', e.source, m.counterparty, e.names->0->>'name'))
      x(explanation)
$$;

-- Judges where the coins of a movement come from or go to: what is on a list is held. A list takes effect
-- either before the movement commits, and judges it here, or after, and finds it in screening_sources.
create or replace function screening_address_verdict(m aml_movements) returns jsonb
language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock_shared(screening_lock());
  return (select coalesce(jsonb_agg(screening_address_hit(m, e, 'hold') order by e.id), '[]')
    from screening_listed(m.counterparty) e);
end $$;

-- Compares deposits that were judged before with the addresses that lists have brought or changed after an
-- epoch. A deposit that the watch holds is held by the new flag as well; one that is credited is only
-- flagged, each once for an entry. Returns how many pairs of a deposit and an entry have been flagged.
create or replace function screening_sources(since bigint) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare met record; m aml_movements; count int := 0;
begin
  for met in
    select d.id, d.user_id, d.source_address, d.status, e as entry
      from screening_list_loads l
      join screening_entries e on e.source = l.source and e.since_version = l.version
      cross join lateral (select distinct lower(a #>> '{}') as address from jsonb_path_query(e.details,
        '$.identifiers[*] ? (@.type == "crypto_address").value') a) a
      join crypto_deposits d on lower(d.source_address) = a.address
     where l.epoch > since and e.removed_version is null
       and (d.status = 'credited' or d.status = 'under_review' and d.fault = 'aml_review')
       and not exists (select from aml_hits h join aml_flags f on f.id = h.flag_id
         where h.subject_id = d.id and f.kind = 'sanctions'
           and (f.match->>'list', f.match->>'entry_id') = (e.source, e.ref))
     order by d.id, e.id
  loop
    m := null;
    m.at := bank_now();
    m.customer_id := met.user_id;
    m.subject_type := 'crypto_deposit';
    m.subject_id := met.id;
    m.counterparty := met.source_address;
    perform aml_keep_hits(jsonb_build_array(screening_address_hit(m, met.entry,
      case met.status when 'credited' then 'flag' else 'hold' end)));
    count := count + 1;
  end loop;
  return count;
end $$;
grant execute on function screening_sources to teller_app;
