-- Card payments. A message of the network is decided in one call, without a word to anybody else: it finds
-- the card, locks its account, and answers. What a payment is follows from its sums, whatever the order of
-- its messages. A repeat is answered as before.

-- Returns the status that follows from the sums of a payment.
create or replace function card_payment_status(p card_payments) returns text
language sql immutable as $$
  select case
    when p.authorised > p.reversed + p.cleared + p.lapsed then 'authorised'
    when p.refunded > 0 and p.refunded >= p.cleared then 'refunded'
    when p.cleared > 0 then 'cleared'
    when p.lapsed > 0 then 'expired'
    when p.authorised > 0 or p.completed = 0 or p.overtaken > 0 or p.reversed_whole then 'reversed'
    when p.decline is not null then 'declined'
    else 'checked' end
$$;

-- Returns a payment with one more irregularity, unless it is known.
create or replace function card_irregular(p card_payments, what text) returns card_payments
language plpgsql set search_path = public, pg_temp as $$
begin
  if not p.irregularities @> jsonb_build_array(jsonb_build_object('code', what)) then
    p.irregularities := p.irregularities || jsonb_build_object('code', what, 'at', bank_now());
  end if;
  return p;
end $$;

-- Returns how much a payment is to hold: what is open with its fees, and while its sum is not known, what its
-- category adds.
create or replace function card_hold_wanted(p card_payments) returns numeric
language sql stable set search_path = public, pg_temp as $$
  select case when o.open <= 0 then 0 else card_fee(p, o.open) + case
      when p.completed is not null then o.open
      else greatest(ceil(o.open * (1 + coalesce(p.hold_percent, 0) / 100)), coalesce(p.hold_amount, 0))
      end end
    from (select p.authorised - p.reversed - p.cleared - p.lapsed) o(open)
$$;

-- Makes the hold of a payment hold what it is to hold. Returns the payment with its hold, and why not.
create or replace function card_hold(inout p card_payments, must boolean, out refusal text)
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  wanted numeric := card_hold_wanted(p);
  until timestamptz := bank_now() + make_interval(hours => 24 * p.hold_days);
begin
  if p.hold_id is not null then
    refusal := hold_change(p.hold_id, wanted, until, must);
  elsif wanted > 0 then
    select h.hold_id, h.refusal into p.hold_id, refusal
      from hold_open('card_payment', p.id, p.account_id, p.asset, wanted, until, must) h;
  end if;
end $$;

-- Returns the payment of a message: the one that is known, or a new one of the card.
create or replace function card_payment_of(c cards, terms card_product_versions, message jsonb, days int)
returns card_payments
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare p card_payments; said jsonb := message->'said'; rule jsonb;
begin
  select * into p from card_payments x where x.network_id = message->>'payment_id';
  if p.id is not null then return p; end if;
  select r into rule from jsonb_array_elements(terms.hold_rules) r
    where r->'mcc' ? (said->'merchant'->>'mcc') limit 1;
  p.id := uuidv7();
  p.network_id := message->>'payment_id';
  p.card_id := c.id;
  p.owner_id := c.owner_id;
  p.account_id := c.account_id;
  select k.asset into p.asset from card_products k where k.id = c.product_id;
  p.purpose := case when message->>'purpose' in ('increment', 'completion') then 'purchase'
    else message->>'purpose' end;
  p.authorised := 0;
  p.reversed := 0;
  p.cleared := 0;
  p.refunded := 0;
  p.lapsed := 0;
  p.overtaken := 0;
  p.reversed_whole := false;
  p.hold_days := coalesce((rule->>'days')::int, days);
  p.hold_amount := (rule->>'amount')::numeric;
  p.hold_percent := (rule->>'percent')::numeric;
  p.merchant := said->'merchant';
  p.merchant_amount := (said->'merchant_amount'->>'minor')::numeric;
  p.merchant_asset := said->'merchant_amount'->>'asset';
  p.entry_mode := said->>'entry_mode';
  p.irregularities := '[]';
  p.created_at := bank_now();
  return p;
end $$;

-- Writes a payment as it is now, and makes limits and the watch see what of it still counts.
create or replace function card_payment_keep(p card_payments) returns void
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  p.status := card_payment_status(p);
  p.updated_at := bank_now();
  insert into card_payments select (p).*
    on conflict (id) do update set (status, authorised, completed, reversed, cleared, refunded, lapsed,
        overtaken, reversed_whole, hold_id, hold_amount, hold_percent, decline, declined_at, irregularities,
        updated_at)
      = row(excluded.status, excluded.authorised, excluded.completed, excluded.reversed, excluded.cleared,
        excluded.refunded, excluded.lapsed, excluded.overtaken, excluded.reversed_whole, excluded.hold_id,
        excluded.hold_amount, excluded.hold_percent, excluded.decline, excluded.declined_at,
        excluded.irregularities, excluded.updated_at);
  perform card_limit_count(p);
  if p.status in ('reversed', 'expired') then
    perform aml_movement_ended(x.id) from (select p.id union
      select y.id from card_messages y where y.payment_id = p.id) x;
  end if;
end $$;

-- Returns how much a message adds to what a payment has authorised; less than nothing for a completion that
-- names a smaller total.
create or replace function card_more(p card_payments, purpose text, amount numeric) returns numeric
language sql immutable as $$
  select case when purpose in ('account_check', 'balance', 'refund') then 0
    when purpose = 'completion' then amount - p.authorised
    when p.completed is not null then 0 else amount end
$$;

-- Takes a request or an advice into the sums of a payment.
create or replace function card_add(p card_payments, message jsonb, more numeric) returns card_payments
language plpgsql set search_path = public, pg_temp as $$
declare back numeric;
begin
  if message->>'purpose' in ('increment', 'completion') and p.authorised = 0 then
    p := card_irregular(p, 'without_authorisation');
  end if;
  p.authorised := p.authorised + more;
  if message->>'purpose' = 'completion' then p.completed := p.authorised; end if;
  if p.purpose in ('account_check', 'balance', 'refund') and more > 0 then
    p := card_irregular(p, 'other_purpose');
  end if;
  -- an advice tells what has happened after all
  if message->>'type' = '0100' and more > 0 then
    back := case when p.reversed_whole then more else least(more, p.overtaken) end;
    p.reversed := p.reversed + back;
    p.overtaken := greatest(p.overtaken - back, 0);
    if back > 0 then p := card_irregular(p, 'request_after_reversal'); end if;
  end if;
  p.decline := null;
  p.declined_at := null;
  return p;
end $$;

-- Takes a reversal: of so much, or of all that is open. One with the keys of a request takes back no more
-- than that request was given; any other that comes too early waits for the requests.
create or replace function card_reverse(p card_payments, message jsonb) returns card_payments
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  wanted numeric := (message->>'amount')::numeric;
  open numeric := greatest(p.authorised - p.reversed - p.cleared, 0);
  original card_messages;
begin
  select * into original from card_messages x where x.type = '0100' and x.network_id = p.network_id
    and x.stan = message->>'stan' and x.rrn = message->>'rrn';
  if wanted is null then
    p.reversed_whole := true;
    if p.authorised = 0 then p := card_irregular(p, 'reversal_without_authorisation'); end if;
    wanted := open;
  elsif original.id is not null then
    wanted := least(wanted, coalesce(original.approved, 0), open);
  elsif wanted > open then
    p := card_irregular(p, 'reversal_without_authorisation');
    p.overtaken := p.overtaken + wanted - open;
    wanted := open;
  end if;
  p.reversed := p.reversed + wanted;
  -- what is over cannot be over once more
  p.lapsed := least(p.lapsed, greatest(p.authorised - p.reversed - p.cleared, 0));
  return p;
end $$;
