-- Rows of card payments, and their holds. What a payment is follows from its messages (card-folds.sql).

-- Returns a payment with one more irregularity, unless it is known.
create or replace function card_irregular(p card_payments, what text) returns card_payments
language plpgsql set search_path = public, pg_temp as $$
begin
  if not p.irregularities @> jsonb_build_array(jsonb_build_object('code', what)) then
    p.irregularities := p.irregularities || jsonb_build_object('code', what, 'at', bank_now());
  end if;
  return p;
end $$;

-- Makes the hold of a payment hold what it is to hold; only what adds to it makes it last longer. Returns the
-- payment with its hold, and why not.
create or replace function card_hold(
  inout p card_payments, wanted numeric, adds boolean, must boolean, out refusal text
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare until timestamptz := bank_now() + make_interval(hours => 24 * p.hold_days);
begin
  if p.hold_id is null then
    if wanted > 0 then
      select h.hold_id, h.refusal into p.hold_id, refusal
        from hold_open('card_payment', p.id, p.account_id, p.asset, wanted, until, must) h;
    end if;
    return;
  end if;
  if not adds then
    until := coalesce((select h.expires_at from holds h where h.id = p.hold_id and h.status = 'open'), until);
  end if;
  refusal := hold_change(p.hold_id, wanted, until, must);
end $$;

-- Returns a payment as a message says it is: what for, where and how.
create or replace function card_payment_described(
  p card_payments, terms card_product_versions, message jsonb, days int
) returns card_payments
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare said jsonb := message->'said'; rule jsonb;
begin
  select r into rule from jsonb_array_elements(terms.hold_rules) r
    where r->'mcc' ? (said->'merchant'->>'mcc') limit 1;
  p.purpose := card_kind(p, message->>'purpose');
  p.hold_days := coalesce((rule->>'days')::int, days);
  p.hold_amount := (rule->>'amount')::numeric;
  p.hold_percent := (rule->>'percent')::numeric;
  p.merchant := said->'merchant';
  p.merchant_amount := (said->'merchant_amount'->>'minor')::numeric;
  p.merchant_asset := said->'merchant_amount'->>'asset';
  p.entry_mode := said->>'entry_mode';
  return p;
end $$;

-- Returns a payment of a card of which nothing is known yet.
create or replace function card_payment_new(c cards, network_payment text, asset text) returns card_payments
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare p card_payments;
begin
  p.id := uuidv7();
  p.network_id := network_payment;
  p.card_id := c.id;
  p.owner_id := c.owner_id;
  p.account_id := c.account_id;
  p.asset := card_payment_new.asset;
  p.authorised := 0;
  p.reversed := 0;
  p.cleared := 0;
  p.refunded := 0;
  p.lapsed := 0;
  p.lapsed_places := '{}';
  p.reversed_whole := false;
  p.matched := 0;
  p.is_final := false;
  p.cleared_cash := 0;
  p.cleared_exchanged := 0;
  p.booked_fees := 0;
  p.irregularities := '[]';
  p.created_at := bank_now();
  return p;
end $$;

-- Returns the payment of a message: the one that is known, or a new one of the card. Until something was
-- authorised, it is what the message that was taken last asked for.
create or replace function card_payment_of(c cards, terms card_product_versions, message jsonb, days int)
returns card_payments
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare p card_payments; asks boolean := message->>'type' <> '0420';
begin
  select * into p from card_payments x where x.network_id = message->>'payment_id';
  if p.id is not null then
    if p.authorised > 0 or p.completed is not null or not asks then return p; end if;
    if p.purpose in ('account_check', 'balance', 'refund')
        and message->>'purpose' in ('purchase', 'cash', 'increment', 'completion') then
      p := card_irregular(p, 'other_purpose');
    end if;
    return card_payment_described(p, terms, message, days);
  end if;
  p := card_payment_new(c, message->>'payment_id',
    (select k.asset from card_products k where k.id = c.product_id));
  return card_payment_described(p, terms, message, days);
end $$;

-- Writes a payment as it is now, and makes limits and the watch see what of it still counts. `used` is of
-- card_fold; null if it is what it was.
create or replace function card_payment_keep(p card_payments, messages card_messages[], used numeric[])
returns void
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  p.updated_at := bank_now();
  insert into card_payments select (p).*
    on conflict (id) do update set (status, purpose, authorised, completed, reversed, cleared, refunded,
        lapsed, lapsed_places, reversed_whole, matched, is_final, cleared_cash, cleared_exchanged,
        booked_fees, hold_id, hold_days, hold_amount, hold_percent, merchant,
        merchant_amount, merchant_asset, entry_mode, decline, declined_at, irregularities, updated_at)
      = row(excluded.status, excluded.purpose, excluded.authorised, excluded.completed, excluded.reversed,
        excluded.cleared, excluded.refunded, excluded.lapsed, excluded.lapsed_places, excluded.reversed_whole,
        excluded.matched, excluded.is_final, excluded.cleared_cash, excluded.cleared_exchanged,
        excluded.booked_fees,
        excluded.hold_id, excluded.hold_days, excluded.hold_amount, excluded.hold_percent, excluded.merchant,
        excluded.merchant_amount, excluded.merchant_asset, excluded.entry_mode, excluded.decline,
        excluded.declined_at, excluded.irregularities, excluded.updated_at);
  if used is not null then perform card_limit_count(p, messages, used); end if;
  if p.status in ('reversed', 'expired') then
    perform aml_movement_ended(x.id) from (select p.id union select y.id from unnest(messages) y) x;
  elsif cardinality(messages) > 1 and used is not null then
    -- what of a message is left has its movement, but for one that the network has told once more
    perform aml_movement_ended(u.source) from card_uses(p, messages, used) u
      where u.amount = 0 and not card_stood_in(messages, messages[u.place]);
  end if;
end $$;
