-- Deposits of coins. What the custodian tells of a transaction is noted, in whatever order and however often
-- it comes; a deposit is booked once, when the custodian and the network are sure of it. It has happened by
-- then, so it must be booked: what nobody can be credited with lies in suspense. Only these functions write.

-- Returns the account on which a customer holds a coin, and opens it on first use.
create or replace function coin_account(customer uuid, coin text) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare account uuid;
begin
  select a.id into account from accounts a
    where a.owner_id = customer and a.asset = coin and a.kind = 'coin';
  if account is null then
    insert into accounts (kind, owner_id, asset) values ('coin', customer, coin) on conflict do nothing;
    select a.id into strict account from accounts a
      where a.owner_id = customer and a.asset = coin and a.kind = 'coin';
  end if;
  return account;
end $$;

-- Returns whose what arrives at a place is: the customer who was given the address and memo, whichever coin
-- was expected there, or the one whose own vault it has come to. Else why nobody knows.
create or replace function crypto_deposit_owner(
  chain text, place text, given_memo text, vault crypto_vaults, out customer uuid, out fault text
) language plpgsql stable set search_path = public, pg_temp as $$
begin
  select w.user_id into customer from crypto_wallets w
    where w.address = place and w.network = chain and w.memo is not distinct from given_memo
      and w.user_id is not null
    limit 1;
  customer := coalesce(customer, vault.user_id);
  fault := case
    when customer is not null then null
    when not exists (select from crypto_wallets w where w.address = place and w.network = chain)
      then 'unknown_address'
    when given_memo is null then 'no_memo'
    else 'unknown_memo' end;
end $$;

-- Returns whether there is something to do about a deposit: it is not booked yet, or the chain has taken back
-- what is booked.
create or replace function crypto_deposit_is_open(d crypto_deposits) returns boolean
language sql immutable as $$
  select d.status = 'pending' or (d.custody_status = 'moving' and d.status = 'reversed')
    or (d.custody_status <> 'completed' and d.status in ('credited', 'below_minimum', 'under_review'))
$$;

-- Returns whether a transaction on the chain is told of as something else than the deposit is. What is on no
-- chain may be told of without its hash, address or amount.
create or replace function crypto_deposit_is_otherwise(d crypto_deposits, t jsonb) returns boolean
language sql immutable as $$
  select (t->>'status' = 'completed' or (t->>'status' = 'moving' and t->>'address' is not null))
    and (array[t->>'network', t->>'tx_hash', t->>'output_index', t->>'address', t->>'asset'], t->>'memo',
      (t->>'chain_amount')::numeric) is distinct from (array[d.network, d.tx_hash, d.output_index::text,
      d.address, d.asset], d.memo, d.chain_amount::numeric)
$$;

-- Notes what the custodian tells of a transaction that arrives in a vault.
--
-- t: { custody_id, status, told, updated_at, vault, asset, network, tx_hash, output_index, address, memo,
--      source_address, chain_amount, confirmations, block_hash }
-- The custodian's words count by its own time: what is older than what is known changes nothing. What a
-- deposit is never changes; if it is told otherwise, somebody must look before it is credited. A transaction
-- that is on no chain any more may be told of without its hash, address or amount: it is known by its id.
-- Another transaction of the custodian that tells of the same output takes over once the one before has
-- failed; else the deposit that is there is returned, with the id that it has.
-- Returns no deposit for a vault that is not the bank's, and for a transaction that failed before it was
-- known, is on no chain yet or brings nothing.
create or replace function crypto_deposit_seen(t jsonb) returns crypto_deposits
language plpgsql set search_path = public, pg_temp as $$
declare
  d crypto_deposits; vault crypto_vaults; n asset_networks; digits int; owner record;
  updated timestamptz(3) := (t->>'updated_at')::timestamptz;
  place text[] := array[t->>'network', t->>'tx_hash', t->>'output_index', t->>'address', t->>'asset'];
begin
  select * into d from crypto_deposits x where x.custody_id = t->>'custody_id' for update;
  if d.id is null then
    select * into d from crypto_deposits x where x.network = place[1] and x.tx_hash = place[2]
      and x.output_index = place[3]::int and x.address = place[4] and x.asset = place[5] for update;
  end if;
  if d.id is null then
    select * into vault from crypto_vaults v where v.custody_vault = t->>'vault';
    if vault.id is null or t->>'status' = 'failed' or place[2] is null or place[4] is null
        or (t->>'chain_amount')::numeric = 0 then
      return null;
    end if;
    select * into strict n from asset_networks x where (x.asset, x.network) = (place[5], place[1]);
    select a.scale - n.scale into digits from assets a where a.code = n.asset;
    select * into owner from crypto_deposit_owner(n.network, place[4], t->>'memo', vault);
    insert into crypto_deposits (user_id, asset, network, tx_hash, output_index, address, memo,
        source_address, chain_amount, amount, fault, confirmations, required_confirmations, block_hash,
        custody_id, custody_status, custody_told, custody_updated)
      values (owner.customer, n.asset, n.network, place[2], place[3]::int, place[4], t->>'memo',
        t->>'source_address', (t->>'chain_amount')::numeric,
        trunc((t->>'chain_amount')::numeric * ('1e' || digits)::numeric), owner.fault,
        (t->>'confirmations')::int, n.confirmations, t->>'block_hash', t->>'custody_id', t->>'status',
        t->>'told', updated)
      on conflict do nothing returning * into d;
    -- somebody else has noted it in this moment
    if d.id is null then return crypto_deposit_seen(t); end if;
  elsif d.custody_id <> t->>'custody_id'
        and not (d.custody_status = 'failed' and t->>'status' <> 'failed') then
    return d;
  elsif updated > d.custody_updated
        or (updated = d.custody_updated and ((t->>'confirmations')::int > d.confirmations
          or (d.custody_status = 'moving' and t->>'status' <> 'moving'))) then
    update crypto_deposits x set confirmations = (t->>'confirmations')::int, block_hash = t->>'block_hash',
        custody_id = t->>'custody_id', custody_status = t->>'status', custody_told = t->>'told',
        custody_updated = updated, source_address = coalesce(x.source_address, t->>'source_address'),
        status = case when x.status = 'reversed' and t->>'status' <> 'failed' then 'pending'
          else x.status end,
        fault = case when x.status in ('pending', 'reversed', 'under_review')
            and crypto_deposit_is_otherwise(x, t) then 'told_otherwise' else x.fault end
      where x.id = d.id
      returning * into d;
  end if;
  return d;
end $$;

-- As crypto_deposit_seen, for transactions of which the custodian or its list has told: nothing is booked.
-- fault says what somebody must look at: the output is there under another id (same_place), or what is
-- booked is told of as something else now (told_otherwise).
create or replace function crypto_deposit_noted(
  t jsonb, out deposit uuid, out customer uuid, out is_open boolean, out fault text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare d crypto_deposits := crypto_deposit_seen(t);
begin
  deposit := d.id;
  customer := d.user_id;
  is_open := coalesce(crypto_deposit_is_open(d), false);
  fault := case
    when d.custody_id <> t->>'custody_id' then 'same_place'
    when not is_open and d.status in ('credited', 'below_minimum')
        and (t->>'updated_at')::timestamptz(3) = d.custody_updated and crypto_deposit_is_otherwise(d, t)
      then 'told_otherwise' end;
end $$;

-- Returns whether a flag holds a deposit: one of its own, or one of its customer, that is open, or that was
-- confirmed while the deposit was there. A customer who is on a list stays held.
create or replace function crypto_deposit_is_flagged(d crypto_deposits) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from aml_hits h join aml_flags f on f.id = h.flag_id
      where h.subject_id = d.id and h.held and (f.resolved_at is null or f.status = 'confirmed'))
    or exists (select from aml_flags f where f.subject_id = d.id and f.held and f.resolved_at is null)
    or exists (select from aml_flags f where f.customer_id = d.user_id and flag_is_of_customer(f)
      and (f.resolved_at is null or f.status = 'confirmed'
        and (f.kind = 'sanctions' or f.held and d.created_at <= f.resolved_at)))
$$;

-- Returns whether a deposit that the watch has held is held no longer, and has not been credited yet.
create or replace function crypto_deposit_is_cleared(d crypto_deposits) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select d.status = 'under_review' and d.custody_status = 'completed'
    and d.fault is not distinct from 'aml_review' and not crypto_deposit_is_flagged(d)
$$;

-- Has the watch judge a deposit that is about to be credited, and where it comes from, and keeps it as a
-- movement of its customer. Returns whether it is held. It has arrived, so what would refuse a payment holds
-- it. Takes all accounts that the booking may touch, and after them the customer's lock.
create or replace function crypto_deposit_judge(d crypto_deposits) returns boolean
language plpgsql set search_path = public, pg_temp as $$
declare m aml_movements; judged record; account uuid := coin_account(d.user_id, d.asset); listed jsonb;
  hits jsonb;
begin
  perform 1 from asset_networks n where (n.asset, n.network) = (d.asset, d.network) for no key update;
  perform 1 from accounts a where a.id = any (array(
      select house_account(h.role, d.asset, d.id) from (values ('custody'), ('suspense'), ('dust')) h(role)
      union all select account))
    order by a.id for no key update;
  perform limit_lock(array[d.user_id]);
  -- if it was judged before, as something else or as another customer's, it is another movement now
  perform aml_movement_ended(d.id);
  m := aml_movement_of('crypto_deposit', 'crypto_deposit', d.id, d.user_id, account, d.asset, d.amount, null,
    d.source_address, null, bank_now());
  m.amount_base := coalesce(m.amount_base, (select m.amount * p.price from fx_settings s
    join coin_prices p on (p.asset, p.currency) = (d.asset, s.base_asset)));
  select * into judged from movement_verdict(m);
  select coalesce(jsonb_agg(case h->>'action' when 'block' then h || '{"action": "hold"}' else h end
      order by n), '[]') into hits
    from jsonb_array_elements(judged.hits) with ordinality x(h, n);
  listed := screening_address_verdict(m);
  perform aml_keep(array[m], hits || listed);
  return coalesce(judged.action in ('hold', 'block'), false) or listed <> '[]'
    or crypto_deposit_is_flagged(d);
end $$;

-- Returns the entries of a turn of a deposit after the last one; null if it is less than the smallest unit of
-- the books.
create or replace function crypto_deposit_entries(
  d crypto_deposits, turn crypto_deposit_bookings, last crypto_deposit_bookings
) returns jsonb
language plpgsql set search_path = public, pg_temp as $$
declare
  target uuid; entries jsonb; direction int := sign(turn.chain_amount);
  -- what came together of less than the books can hold, or is missing
  whole numeric := crypto_units_move(d.asset, d.network, direction * d.chain_amount::numeric)
    - direction * d.amount;
begin
  target := case turn.kind
    when 'credit' then coin_account(d.user_id, d.asset)
    when 'reversal' then coalesce((select e.account_id from ledger_entries e
        join accounts a on a.id = e.account_id
       where e.transaction_id = last.transaction_id and e.amount > 0
       order by coalesce(a.role = 'dust', false) limit 1), house_account('dust', d.asset, d.id))
    else house_account(turn.kind, d.asset, d.id) end;
  select jsonb_agg(jsonb_build_object('account', e.account, 'asset', d.asset, 'amount', e.amount::text)
           order by e.n) into entries
    from (values
      (1, house_account('custody', d.asset, d.id), - direction * d.amount - whole),
      (2, target, direction * d.amount),
      (3, case when whole <> 0 then house_account('dust', d.asset, d.id) end, whole)
    ) e(n, account, amount) where e.amount <> 0;
  return entries;
end $$;

-- Books what becomes of a deposit, in turns and at once: it goes to its customer (credit), to the bank if it
-- is too small (dust), or to where it waits until somebody has looked (suspense). A reversal, which can only
-- be the first of them, takes it back from where it went. Returns the transaction of the last turn; null if
-- it has none.
create or replace function crypto_deposit_turns(d crypto_deposits, kinds text[]) returns uuid
language plpgsql set search_path = public, pg_temp as $$
declare
  last crypto_deposit_bookings; turn crypto_deposit_bookings; turns crypto_deposit_bookings[] := '{}';
  wanted text; entries jsonb; commands jsonb := '[]'; refused text;
begin
  select * into last from crypto_deposit_bookings b where b.deposit_id = d.id order by b.seq desc limit 1;
  foreach wanted in array kinds loop
    turn.id := uuidv7();
    turn.seq := coalesce(last.seq, 0) + 1;
    turn.kind := wanted;
    turn.chain_amount := case wanted when 'reversal' then - d.chain_amount else d.chain_amount end;
    entries := crypto_deposit_entries(d, turn, last);
    turn.transaction_id := case when entries is not null then uuidv7() end;
    if entries is not null then
      commands := commands || jsonb_build_object('id', turn.transaction_id,
        'kind', case wanted when 'reversal' then 'crypto_reversal' else 'crypto_deposit' end,
        'source_type', 'crypto_deposit', 'source_id', turn.id, 'must', true, 'spread', d.id,
        'description', case wanted when 'reversal' then 'Deposit taken back on ' else 'Deposit on ' end
          || d.network,
        'reverses', case wanted when 'reversal' then last.transaction_id end, 'entries', entries);
    end if;
    turns := turns || turn;
    last := turn;
  end loop;
  if commands <> '[]' then
    select p.verdict into refused from ledger_post(commands) p where p.verdict <> 'posted' limit 1;
    if refused is not null then
      raise exception 'deposit % cannot be booked: %', d.id, refused;
    end if;
  end if;
  insert into crypto_deposit_bookings (id, deposit_id, seq, kind, chain_amount, transaction_id)
    select b.id, d.id, b.seq, b.kind, b.chain_amount, b.transaction_id from unnest(turns) b;
  return last.transaction_id;
end $$;

-- Notes what the custodian says of a deposit now, having been asked, and books the deposit if that is final,
-- or takes it back if the chain has. What would be credited is judged by the watch first; what it has held is
-- credited once no flag holds it. Returns how it is, whether it changed by that, why somebody must look,
-- and when to ask again: soon if blocks are missing that the custodian does not count.
create or replace function crypto_deposit_advance(
  t jsonb, out state text, out changed boolean, out reason text, out is_open boolean, out is_near boolean
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  d crypto_deposits := crypto_deposit_seen(t); least_amount minor; is_booked boolean;
  is_cleared boolean := crypto_deposit_is_cleared(d); is_held boolean := false;
begin
  if d.id is null then raise exception 'what is told is no deposit of the bank'; end if;
  select n.min_deposit into least_amount from asset_networks n
    where (n.asset, n.network) = (d.asset, d.network);
  is_booked := d.status in ('credited', 'below_minimum', 'under_review');
  is_near := d.custody_status = 'completed';
  state := case
    when is_cleared then 'credited'
    when is_booked and is_near then d.status
    when is_booked or d.custody_status = 'failed' then 'reversed'
    when not is_near or d.confirmations < d.required_confirmations then d.status
    when d.fault <> 'aml_review' then 'under_review'
    -- what a customer had once is not too small for them when it comes back
    when d.amount = 0 or (d.amount < least_amount and d.credited_at is null) then 'below_minimum'
    else 'credited' end;
  if state = 'credited' and d.status = 'pending' then
    is_held := crypto_deposit_judge(d);
    state := case when is_held then 'under_review' else state end;
  end if;
  changed := coalesce(state <> d.status, false);
  if changed then
    if is_booked or state <> 'reversed' then
      perform crypto_deposit_turns(d, case when is_cleared then '{reversal}'::text[] else '{}' end
        || case state when 'credited' then 'credit' when 'reversed' then 'reversal'
          when 'below_minimum' then 'dust' else 'suspense' end);
    end if;
    if state = 'reversed' then perform aml_movement_ended(d.id); end if;
    update crypto_deposits x set status = state,
        credited_at = case state when 'credited' then bank_now() else x.credited_at end,
        fault = case when is_held then 'aml_review' when state in ('credited', 'below_minimum') then null
          else x.fault end
      where x.id = d.id returning * into d;
  end if;
  reason := d.fault;
  is_open := coalesce(crypto_deposit_is_open(d), false);
end $$;

-- Gives a deposit that is under review to a customer: it is taken back from suspense and credited at once.
-- Without a customer it is its owner's; with one it becomes theirs. A deposit that the chain has taken back
-- stays where it is, and so does one whose coins the account of the customer cannot take. The watch judges it
-- as any other: what it holds stays in suspense as that customer's, and is credited once no flag holds it.
-- Returns why not.
create or replace function crypto_deposit_release(
  deposit uuid, customer uuid, by_person uuid, out refusal text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare d crypto_deposits; credited uuid;
begin
  perform require_action(by_person, 'crypto:write');
  select * into d from crypto_deposits x where x.id = deposit for update;
  d.user_id := coalesce(customer, d.user_id);
  refusal := case
    when d.status is distinct from 'under_review' or crypto_deposit_is_open(d)
      then 'crypto_deposit_not_under_review'
    when d.fault = 'aml_review' then 'crypto_deposit_held'
    when d.user_id is null then 'no_owner'
    when d.user_id = by_person then 'same_person'
    when not exists (select from users u where u.id = d.user_id) then 'unknown_owner' end;
  if refusal is not null then return; end if;
  begin
    if crypto_deposit_judge(d) then
      update crypto_deposits x set user_id = d.user_id, fault = 'aml_review' where x.id = d.id;
      return;
    end if;
    credited := crypto_deposit_turns(d, '{reversal,credit}');
    -- what the account cannot take has gone to suspense again, with the reason beside it
    select t.metadata->>'why' into refusal from ledger_transactions t where t.id = credited;
    if refusal is not null then
      raise exception 'the account of deposit % cannot take it', d.id using errcode = 'TE002';
    end if;
    update crypto_deposits x
      set status = 'credited', user_id = d.user_id, fault = null, credited_at = bank_now()
      where x.id = d.id;
  exception when sqlstate 'TE002' then
    -- nothing of it has happened
    null;
  end;
end $$;

-- Refuses a change of what a deposit is, and every move but those of its life. Whose it is may be decided
-- anew when it is released, also if the watch then holds it.
create or replace function check_crypto_deposit_change() returns trigger language plpgsql as $$
declare is_release boolean := old.status = 'under_review' and old.fault <> 'aml_review'
  and (new.status = 'credited' or new.status = 'under_review' and new.fault = 'aml_review');
begin
  if (new.id, new.asset, new.network, new.tx_hash, new.output_index, new.address, new.memo,
      new.chain_amount, new.amount)
     is distinct from (old.id, old.asset, old.network, old.tx_hash, old.output_index, old.address, old.memo,
      old.chain_amount, old.amount)
     or (new.user_id is distinct from old.user_id and not is_release) then
    raise exception 'a deposit never changes its place, amount or owner'
      using errcode = 'restrict_violation';
  end if;
  if old.status <> new.status and old.status <> 'pending' and new.status <> 'reversed'
     and (old.status, new.status) not in (('reversed', 'pending'), ('under_review', 'credited')) then
    raise exception 'deposit % cannot go from % to %', old.id, old.status, new.status
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger crypto_deposits_change before update on crypto_deposits
  for each row execute function check_crypto_deposit_change();
create or replace trigger crypto_deposits_never_deleted before delete on crypto_deposits
  for each row execute function refuse_change();
create or replace trigger crypto_deposit_bookings_append_only before update or delete
  on crypto_deposit_bookings for each row execute function refuse_change();

-- Takes events that wait, oldest first, for so many seconds: nobody else works on them meanwhile.
create or replace function custody_events_claim(most int, for_seconds int)
returns table (id uuid, resource text, age_seconds int)
language sql security definer set search_path = public, pg_temp as $$
  update custody_events e set claimed_until = bank_now() + make_interval(secs => for_seconds)
    from (select x.id from custody_events x
           where x.status = 'waiting' and (x.claimed_until is null or x.claimed_until <= bank_now())
           order by x.id limit most for update skip locked) c
   where e.id = c.id
  returning e.id, e.resource, extract(epoch from bank_now() - e.received_at)::int;
$$;

-- Ends work on events: they are done, or wait to be taken again at once.
create or replace function custody_events_end(events uuid[], outcome text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update custody_events e set status = outcome,
      claimed_until = case outcome when 'waiting' then null else e.claimed_until end
    where e.id = any (events) and e.status = 'waiting';
$$;

-- Puts aside a transaction that the bank cannot take in, once for each reason. Returns whether it is new.
create or replace function custody_transfer_aside(transfer text, content bytea, why text) returns boolean
language sql security definer set search_path = public, pg_temp as $$
  with kept as (
    insert into custody_events (event_key, type, resource, body, status, fault)
      values (left('transfer/' || why || '/' || transfer, 80), 'transfer', left(transfer, 80), content,
        'aside', why)
      on conflict (event_key) do nothing returning 1)
  select exists (select from kept);
$$;

-- Takes the turn of asking the custodian for what has changed, if nobody has within so many seconds. Returns
-- since when to ask; null if it is not due.
create or replace function custody_poll_begin(every_seconds int) returns timestamptz
language sql security definer set search_path = public, pg_temp as $$
  update custody_poll p set polled_at = bank_now()
    where p.polled_at <= bank_now() - make_interval(secs => every_seconds)
  returning p.seen_until;
$$;

-- Notes until when all changes are known.
create or replace function custody_poll_end(until timestamptz) returns void
language sql security definer set search_path = public, pg_temp as $$
  update custody_poll p set seen_until = least(until, machine_now())
    where p.seen_until < least(until, machine_now());
$$;

grant execute on function crypto_deposit_is_open, crypto_deposit_is_cleared, crypto_deposit_noted,
  crypto_deposit_advance, crypto_deposit_release, custody_events_claim, custody_events_end,
  custody_transfer_aside, custody_poll_begin, custody_poll_end to teller_app;
