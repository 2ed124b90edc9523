-- Files of the card network, taken whole or refused whole, and what is settled between bank and network.

-- Takes the head of a file. file: { id, kind, network, network_id, business_day, content_hash, object_key,
-- records, net?, asset? }, the hash in hex. Returns 'known' for what was taken before, why it is refused
-- (file_id_used), or null.
create or replace function card_file_take(file jsonb) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare hash bytea := decode(file->>'content_hash', 'hex');
begin
  perform pg_advisory_xact_lock(hashtextextended(
    concat_ws('/', file->>'network', file->>'network_id'), 7312));
  if exists (select from card_files f where f.content_hash = hash and f.fault is null) then
    return 'known';
  end if;
  if exists (select from card_files f where f.network = file->>'network' and f.kind = file->>'kind'
      and f.network_id = file->>'network_id' and f.fault is null) then
    return 'file_id_used';
  end if;
  insert into card_files
    select (jsonb_populate_record(null::card_files, file - 'content_hash' || jsonb_build_object('created_at',
      bank_now(), 'content_hash', '\x' || (file->>'content_hash')))).*;
  return null;
end $$;
grant execute on function card_file_take to teller_app;

-- Writes down that a file was refused whole, and why. file: as for card_file_take, as far as it can be read.
create or replace function card_file_refuse(file jsonb, why text) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into card_files
      (id, kind, network, network_id, business_day, content_hash, object_key, records, fault)
    values ((file->>'id')::uuid, file->>'kind', file->>'network', file->>'network_id',
      (file->>'business_day')::date, decode(file->>'content_hash', 'hex'), file->>'object_key', 0, why)
$$;
grant execute on function card_file_refuse to teller_app;

-- Takes records of a clearing file, to be booked once the file was taken whole. records: [{ id, record_id,
-- network_id?, kind, amount, asset, merchant_amount, merchant_asset, merchant, interchange, is_final,
-- last_four, numbers: keyed hashes of the card number under every key, in hex }]. Returns the id of a record
-- that was taken before, or null.
create or replace function card_file_add(file uuid, records jsonb) returns text
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare used text; of_network text; at constant timestamptz := bank_now();
begin
  select f.network into strict of_network from card_files f where f.id = file and f.kind = 'clearing';
  select r.record_id into used from jsonb_array_elements(records) x
    join card_clearings r on r.network = of_network and r.record_id = x->>'record_id' limit 1;
  if found then return used; end if;
  insert into card_clearings (id, file_id, network, record_id, network_id, kind, amount, asset,
      merchant_amount, merchant_asset, merchant, interchange, is_final, last_four, card_id, created_at)
    select x.id, file, of_network, x.record_id, x.network_id, x.kind, x.amount, x.asset, x.merchant_amount,
           x.merchant_asset, x.merchant, x.interchange, x.is_final, x.last_four,
           (select s.card_id from card_secrets s where s.number_index = any (array(
             select decode(i, 'hex') from unnest(x.numbers) i))), at
      from jsonb_to_recordset(records) x(id uuid, record_id text, network_id text, kind text, amount numeric,
        asset text, merchant_amount numeric, merchant_asset text, merchant jsonb, interchange numeric,
        is_final boolean, last_four text, numbers text[]);
  return null;
end $$;
grant execute on function card_file_add to teller_app;

-- Names the clearing files that a settlement file pays for. Returns why it is refused: unknown_file,
-- settled_before, other_currency or net; or null.
create or replace function card_file_settle(settlement uuid, clearing_files text[]) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare s card_files; files uuid[]; owed numeric;
begin
  select * into strict s from card_files f where f.id = settlement and f.kind = 'settlement';
  files := array(select f.id from card_files f where f.network = s.network and f.kind = 'clearing'
    and f.network_id = any (clearing_files) and f.fault is null order by f.id for update);
  if cardinality(files) <> (select count(distinct c) from unnest(clearing_files) c) then
    return 'unknown_file';
  end if;
  if exists (select from card_files f where f.id = any (files) and f.settled_by is not null) then
    return 'settled_before';
  end if;
  if exists (select from card_clearings r where r.file_id = any (files) and r.asset <> s.asset) then
    return 'other_currency';
  end if;
  select coalesce(sum(case r.kind when 'refund' then -r.amount else r.amount end - r.interchange), 0)
    into owed from card_clearings r where r.file_id = any (files);
  if owed <> s.net then return 'net'; end if;
  update card_files f set settled_by = settlement where f.id = any (files);
  return null;
end $$;
grant execute on function card_file_settle to teller_app;

-- Books the next settlement whose records are all booked: each clearing account is left as it was without
-- them. Returns its id, or null if there is none.
create or replace function card_settle_next() returns uuid
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare s card_files; transaction uuid := uuidv7(); entries jsonb; touched uuid[]; verdict text;
begin
  select * into s from card_files f where f.net is not null and f.settled_at is null
      and not exists (select from card_files c join card_clearings r on r.file_id = c.id
        where c.settled_by = f.id and r.transaction_id is null)
    order by f.id limit 1 for no key update skip locked;
  if s.id is null then return null; end if;
  select jsonb_agg(jsonb_build_object('account', x.account_id, 'asset', s.asset, 'amount', (-x.sum)::text)),
         array_agg(x.account_id)
    into entries, touched
    from (select e.account_id, sum(e.amount) from card_files c join card_clearings r on r.file_id = c.id
            join ledger_entries e on e.transaction_id = r.transaction_id
            join accounts a on a.id = e.account_id and a.role = 'card_clearing'
            where c.settled_by = s.id group by 1 having sum(e.amount) <> 0) x;
  if s.net <> 0 then
    entries := coalesce(entries, '[]') || jsonb_build_object('account',
      house_account('nostro', s.asset, transaction), 'asset', s.asset, 'amount', s.net::text);
  end if;
  if entries is not null then
    select p.verdict into verdict from ledger_post(jsonb_build_array(jsonb_build_object('id', transaction,
      'source_type', 'card_settlement', 'source_id', s.id, 'kind', 'settlement', 'entries', entries))) p;
    if verdict <> 'posted' then raise exception 'settlement % is not booked: %', s.id, verdict; end if;
  end if;
  update card_files f set settled_at = bank_now(),
      transaction_id = case when entries is not null then transaction end
    where f.id = s.id;
  return s.id;
end $$;
grant execute on function card_settle_next to teller_app;

-- Refuses to change what a file says; it may be settled once.
create or replace function check_card_file_change() returns trigger language plpgsql as $$
begin
  if (to_jsonb(new) - array['settled_by', 'settled_at', 'transaction_id'])
       is distinct from (to_jsonb(old) - array['settled_by', 'settled_at', 'transaction_id'])
     or (old.settled_by is not null and new.settled_by is distinct from old.settled_by)
     or (old.settled_at is not null and (new.settled_at, new.transaction_id)
       is distinct from (old.settled_at, old.transaction_id)) then
    raise exception 'file % of the card network stands', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create or replace trigger card_files_change before update on card_files
  for each row execute function check_card_file_change();
create or replace trigger card_files_never_deleted before delete on card_files
  for each row execute function refuse_change();
