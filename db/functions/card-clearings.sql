-- Clearing records, booked once each: what was authorised of them is no longer held, and the rest is booked
-- all the same. What belongs to no account goes to suspense, because the network takes it in any case:
-- somebody has to look. Locks are taken in the order of all that moves money: payments, accounts, counters of
-- owners.

-- Returns the payment of a clearing record: the one that is known, or a new one.
create or replace function card_payment_of_clearing(r card_clearings, c cards) returns card_payments
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare p card_payments;
begin
  select * into p from card_payments x where x.network_id = r.network_id;
  if p.id is not null then return p; end if;
  p := card_payment_new(c, coalesce(r.network_id, 'clearing/' || r.id), r.asset);
  p.purpose := r.kind;
  p.hold_days := 1;
  p.merchant := r.merchant;
  p.merchant_amount := r.merchant_amount;
  p.merchant_asset := r.merchant_asset;
  return p;
end $$;

-- Returns a payment with what a record adds to its sums, before it is folded.
create or replace function card_cleared_more(p card_payments, r card_clearings) returns card_payments
language plpgsql immutable set search_path = public, pg_temp as $$
begin
  if r.kind = 'refund' then
    p.refunded := p.refunded + r.amount;
    return p;
  end if;
  p.cleared := p.cleared + r.amount;
  p.is_final := p.is_final or r.is_final;
  if r.kind = 'cash' then p.cleared_cash := p.cleared_cash + r.amount; end if;
  if r.merchant_asset <> r.asset then p.cleared_exchanged := p.cleared_exchanged + r.amount; end if;
  p.decline := null;
  p.declined_at := null;
  return p;
end $$;

-- Returns what of a record is irregular: how it stands to what was authorised.
create or replace function card_clearing_irregularity(before card_payments, p card_payments, r card_clearings)
returns text
language sql immutable set search_path = public, pg_temp as $$
  select case
    when r.kind = 'refund' then case when p.cleared = 0 then 'refund_without_purchase' end
    when p.cleared - p.matched <= before.cleared - before.matched then null
    when before.authorised = 0 then 'cleared_without_authorisation'
    when before.reversed >= before.authorised then 'cleared_after_reversal'
    else 'cleared_above_authorisation' end
$$;

-- Returns what a booking of a card says of itself: with whom, with which card, where, and what was paid there
-- if it was in another currency, with the units that were got for one that was paid.
create or replace function card_line(
  merchant jsonb, last_four text, asset text, amount numeric, other_asset text, other_amount numeric,
  gives boolean
) returns jsonb
language sql stable set search_path = public, pg_temp as $$
  select jsonb_build_object('description', left(concat_ws(', ', 'Card ' || last_four,
        nullif(trim(concat_ws(' ', merchant->>'city', merchant->>'country')), '')), 140),
      'metadata', jsonb_strip_nulls(jsonb_build_object('counterparty', nullif(trim(merchant->>'name'), ''),
        'original', o.original, 'rate', o.rate)))
    from (select 1) x left join lateral (
      select jsonb_build_object('amount', round(other_amount / power(10::numeric, s.scale), s.scale)::text,
               'currency', s.code) as original,
             -- seven digits at least
             trim_scale(round(p.rate, 6 - least(0, floor(log(p.rate)))::int))::text as rate
        from assets s join assets t on t.code = asset
          cross join lateral (select amount / power(10::numeric, t.scale) as own,
            other_amount / power(10::numeric, s.scale) as other) v
          cross join lateral (select case when gives then v.own / v.other else v.other / v.own end as rate) p
        where s.code = other_asset and other_asset <> asset and other_amount > 0) o on true
$$;

-- Returns the command of ledger_post that books a record. House accounts are those of `spread`.
create or replace function card_clearing_command(
  r card_clearings, account uuid, transaction uuid, fee numeric, spread uuid
) returns jsonb
language sql set search_path = public, pg_temp as $$
  select jsonb_build_object('id', transaction, 'source_type', 'card_clearing', 'source_id', r.id,
      'kind', 'card_' || r.kind, 'must', true, 'spread', spread,
      'entries', jsonb_agg(jsonb_build_object('account', e.account, 'asset', r.asset,
        'amount', e.amount::text, 'part', e.part) order by e.n))
      || card_line(r.merchant, r.last_four, r.asset, r.amount, r.merchant_asset, r.merchant_amount,
        r.kind = 'refund')
    from (select case r.kind when 'refund' then r.amount::numeric else -r.amount end as moved) m
      cross join lateral (values
        (1, account, m.moved, 'principal'),
        (2, house_account('card_clearing', r.asset, spread), -m.moved - r.interchange, 'principal'),
        (3, case when r.interchange <> 0 then house_account('interchange', r.asset, spread) end,
          r.interchange, 'principal'),
        (4, case when fee > 0 then account end, -fee, 'fee'),
        (5, case when fee > 0 then house_account('card_fees', r.asset, spread) end, fee, 'fee')
      ) e(n, account, amount, part)
    where e.account is not null and e.amount <> 0
$$;

-- Folds a record into its payment and lets go of what it was held for. Returns the command that books it and
-- what is to be written beside it. The caller holds all locks.
create or replace function card_clearing_take(inout r card_clearings, spread uuid, out command jsonb)
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  c cards; p card_payments; before card_payments; messages card_messages[] := '{}'; f record; held record;
  what text; more numeric; movement aml_movements; judged record;
begin
  r.transaction_id := uuidv7();
  r.booked_at := bank_now();
  select * into c from cards x where x.id = r.card_id;
  p := card_payment_of_clearing(r, c);
  r.fault := case
    when c.id is null then 'unknown_card'
    when (select a.asset from accounts a where a.id = p.account_id) <> r.asset then 'other_currency'
    when not exists (select from cards k where k.id = p.card_id and k.line_id = c.line_id)
      then 'other_card' end;
  if r.fault is not null then
    r.status := 'aside';
    command := card_clearing_command(r, house_account('suspense', r.asset, spread), r.transaction_id, 0,
      spread);
    return;
  end if;
  r.status := 'booked';
  before := p;
  if p.status is not null then messages := card_messages_of(p.id); end if;
  p := card_cleared_more(p, r);
  select * into f from card_fold(p, messages);
  what := card_clearing_irregularity(before, f.p, r);
  if what is null and r.kind = 'refund' and card_dispute_paid_twice(f.p) then
    what := 'refunded_after_dispute';
  end if;
  p := f.p;
  if what is not null then p := card_irregular(p, what); end if;
  r.fee := greatest(card_fees_of(p, p.cleared_cash, p.cleared_exchanged) - p.booked_fees, 0);
  p.booked_fees := p.booked_fees + r.fee;
  if p.hold_id is not null then
    select * into held from card_hold(p, card_hold_wanted(p, f.aside, f.cash, f.exchanged), false, true);
    p := held.p;
  end if;
  r.payment_id := p.id;
  command := card_clearing_command(r, p.account_id, r.transaction_id, r.fee, spread);
  more := (p.cleared - p.matched) - (before.cleared - before.matched);
  if more > 0 then
    movement := aml_movement_of('card_authorisation', 'card_payment', r.id, p.owner_id, p.account_id, p.asset,
      more, null, r.merchant->>'id', r.merchant->>'country', bank_now());
    select * into judged from movement_verdict(movement);
    perform aml_keep(array[movement], judged.hits);
  end if;
  -- limits count what is left of what was let go
  perform card_payment_keep(p, messages,
    case when p.lapsed > before.lapsed or before.lapsed > 0 then f.used end);
end $$;

-- Whether the same will go another time: locks, connections, memory, a clock that is not trusted.
create or replace function card_clearing_again(state text) returns boolean
language sql immutable as $$ select left(state, 2) in ('08', '40', '53', '55', '57') $$;

-- Books these records together. Returns them as they are then.
create or replace function card_clearings_book(batch card_clearings[]) returns setof card_clearings
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  spread uuid := uuidv7(); commands jsonb[] := '{}'; taken record; verdict record; r card_clearings;
  done card_clearings[] := '{}';
begin
  perform pg_advisory_xact_lock(k) from (select distinct hashtextextended(x.network_id, 7311) as k
    from unnest(batch) x where x.network_id is not null order by 1) l;
  perform 1 from accounts a where a.id in (
      select (select c.account_id from cards c where c.id = x.card_id) from unnest(batch) x
      union
      select d.account from unnest(batch) x cross join lateral (
          select y.credited_account_id as account from card_payments p join card_disputes y
            on y.payment_id = p.id and y.ended_at is null where p.network_id = x.network_id limit 1) d
        where x.kind = 'refund'
      union
      select house_account(h.role, x.asset, spread) from (select distinct b.asset from unnest(batch) b) x
        cross join (values ('card_clearing'), ('interchange'), ('card_fees'), ('suspense'), ('disputes'))
          h(role))
    order by a.id for no key update;
  perform limit_lock(array(select distinct c.owner_id from unnest(batch) x cross join lateral (
    select y.owner_id from cards y where y.id = x.card_id limit 1) c));
  foreach r in array batch loop
    select * into taken from card_clearing_take(r, spread);
    done := done || taken.r;
    commands := commands || taken.command;
  end loop;
  for verdict in select * from ledger_post(to_jsonb(commands)) loop
    if verdict.verdict <> 'posted' then
      raise exception 'clearing record % is not booked: %', (done[verdict.ord]).id, verdict.verdict;
    end if;
  end loop;
  perform card_dispute_refunded(x.payment_id, spread)
    from (select distinct d.payment_id from unnest(done) d where d.kind = 'refund' and d.status = 'booked') x;
  update card_clearings x set status = d.status, fault = d.fault, payment_id = d.payment_id, fee = d.fee,
      transaction_id = d.transaction_id, booked_at = d.booked_at
    from unnest(done) d where x.id = d.id;
  return query select * from unnest(done);
end $$;

-- Books the next records that wait, so many at most. They are booked together; if one cannot be, each by
-- itself, and what the books refuse stays unbooked. Returns how many were taken, and what was put aside:
-- [{ id, record, fault }].
create or replace function card_clear_next(most int, out taken int, out aside jsonb)
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare batch card_clearings[]; done card_clearings[] := '{}'; r card_clearings; why text; state text;
begin
  batch := array(select x from card_clearings x where x.status = 'waiting' order by x.file_id, x.id limit most
    for no key update skip locked);
  taken := cardinality(batch);
  aside := '[]';
  if taken = 0 then return; end if;
  begin
    done := array(select b from card_clearings_book(batch) b);
  exception when others then
    get stacked diagnostics state = returned_sqlstate;
    if card_clearing_again(state) then raise; end if;
  end;
  if done = '{}' then
    foreach r in array batch loop
      begin
        done := done || array(select b from card_clearings_book(array[r]) b);
      exception when others then
        get stacked diagnostics why = message_text, state = returned_sqlstate;
        if card_clearing_again(state) then raise; end if;
        r.fault := left(why, 500);
        update card_clearings x set status = 'aside', fault = r.fault where x.id = r.id;
        done := done || r;
      end;
    end loop;
  end if;
  select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'record', d.record_id, 'fault', d.fault)), '[]')
    into aside from unnest(done) d where d.fault is not null;
end $$;
grant execute on function card_clear_next to teller_app;

-- Tells holders of what was given back to their account, and of what was cleared without having been asked
-- for.
create or replace function tell_of_clearings() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into events (type, user_id, subject, waiting, created_at)
    select case n.kind when 'refund' then 'card_refunded' else 'card_payment' end, p.owner_id, n.id, true,
           bank_now()
      from clearings_now n join clearings_before o on o.id = n.id
      join card_payments p on p.id = n.payment_id join ledger_transactions t on t.id = n.transaction_id
     where n.status = 'booked' and o.status <> 'booked' and case n.kind
       -- what waits in suspense has not come back
       when 'refund' then not t.metadata ? 'for_account' else p.authorised = 0 end;
  return null;
end $$;

create or replace trigger card_clearings_told after update on card_clearings
  referencing old table as clearings_before new table as clearings_now
  for each statement execute function tell_of_clearings();

-- Refuses to change what a record says, and every change after it was booked.
create or replace function check_card_clearing_change() returns trigger language plpgsql as $$
begin
  if old.transaction_id is not null or (new.id, new.file_id, new.network, new.record_id, new.network_id,
      new.kind, new.amount, new.asset, new.merchant_amount, new.merchant_asset, new.merchant, new.interchange,
      new.is_final, new.last_four, new.card_id, new.created_at)
     is distinct from (old.id, old.file_id, old.network, old.record_id, old.network_id, old.kind,
      old.amount, old.asset, old.merchant_amount, old.merchant_asset, old.merchant, old.interchange,
      old.is_final, old.last_four, old.card_id, old.created_at) then
    raise exception 'clearing record % stands', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create or replace trigger card_clearings_change before update on card_clearings
  for each row execute function check_card_clearing_change();
create or replace trigger card_clearings_never_deleted before delete on card_clearings
  for each row execute function refuse_change();
