-- Buying and selling coins. A quote freezes what is paid and got; an order holds what is paid, and its
-- process books both sides in one ledger transaction or lets go of what is held. Only these functions write.

-- Returns what one whole coin is in the currency of a quote by its price and the rates of a moment; null if
-- there is no rate.
create or replace function crypto_quote_unit(q crypto_quotes, p used_prices, at timestamptz) returns numeric
language sql stable set search_path = public, pg_temp as $$
  select p.price * case when q.currency = p.currency then 1
    when q.side = 'buy' then 1 / fx_leg(q.currency, p.currency, at)
    else fx_leg(p.currency, q.currency, at) end
$$;

-- Returns whether a quote promises no more than its price gives, by the rates of now or of a minute ago, and
-- says what it keeps. The API prices (domain/crypto/orders.ts): this only bounds what a wrong program could
-- promise.
create or replace function crypto_quote_is_honest(q crypto_quotes, p used_prices) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select coalesce(bool_or(x.mid = trunc(x.mid) and x.spread >= 0
      and x.mid - x.spread = case q.side when 'buy' then q.coins else q.gross end
      and x.mid <= floor((1 + 1e-12) * case q.side
        when 'buy' then (q.gross - q.fee) / x.unit * power(10::numeric, c.scale - f.scale)
        else q.coins * x.unit * power(10::numeric, f.scale - c.scale) end)
      and abs(q.mid_price - x.unit) <= 1e-12 * x.unit
      and q.fee = (select coalesce(sum((l->>'amount')::numeric), 0)
        from jsonb_array_elements(q.price->'fees') l)
      and p.asset = q.asset), false)
    from assets f, assets c, (values (bank_now()), (bank_now() - interval '1 minute')) m(at)
    cross join lateral (select crypto_quote_unit(q, p, m.at) as unit,
      (q.price->'exchange'->>'mid')::numeric as mid, (q.price->'exchange'->>'spread')::numeric as spread) x
    where f.code = q.currency and c.code = q.asset
$$;

-- Returns the price at which a coin can be traded now, and keeps it as one that is used; null if there is
-- none, if it is too old, or if the coin's breaker is open.
create or replace function coin_price_to_trade(
  coin text, in_currency text, out price_id uuid, out price numeric, out priced_at timestamptz,
  out sources jsonb
) language plpgsql security definer set search_path = public, pg_temp as $$
begin
  select coin_price_use(coin, in_currency) into price_id from coin_prices p, bank_settings b
    where (p.asset, p.currency) = (coin, in_currency) and p.breaker_opened_at is null
      and extract(epoch from machine_now() - p.priced_at) <= b.price_max_age_seconds;
  select trim_scale(u.price), u.priced_at, u.sources into price, priced_at, sources
    from used_prices u where u.id = price_id;
end $$;

-- Keeps a quote for a minute: a row of crypto_quotes without its worth and times. Returns until when it
-- binds, null if it is there already; or why not: the coin is not offered, its terms do not allow an order of
-- less or more than they say, or there is no rate any more.
create or replace function crypto_quote_make(wanted jsonb, out refusal text, out expires timestamptz)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  q crypto_quotes := jsonb_populate_record(null::crypto_quotes, wanted);
  c crypto_assets; p used_prices;
begin
  select * into strict c from crypto_assets x where x.asset = q.asset;
  -- it was young enough when the API read it
  select x.* into p from used_prices x, fx_settings s, bank_settings b
    where x.id = q.price_id and x.currency = s.base_asset
      and x.priced_at >= machine_now() - make_interval(secs => b.price_max_age_seconds + 60);
  if not crypto_quote_is_honest(q, p) or not exists (select from accounts a where a.id = q.account_id
       and a.owner_id = q.user_id and a.kind = 'customer' and a.asset = q.currency) then
    raise exception 'quote % says what nobody may promise', q.id using errcode = 'check_violation';
  end if;
  select q.gross * p.price / crypto_quote_unit(q, p, bank_now()) * power(10::numeric, b.scale - f.scale)
    into q.worth from assets f, assets b where f.code = q.currency and b.code = p.currency;
  refusal := case
    when not c.enabled then 'crypto_asset_unavailable'
    when q.worth is null then 'rate_unavailable'
    when q.worth < c.min_order then 'order_too_small'
    when q.worth > c.max_order then 'order_too_large' end;
  if refusal is null then
    insert into crypto_quotes (id, user_id, side, account_id, currency, asset, gross, fee, coins, price,
        price_id, mid_price, worth, created_at, expires_at)
      values (q.id, q.user_id, q.side, q.account_id, q.currency, q.asset, q.gross, q.fee, q.coins, q.price,
        q.price_id, q.mid_price, q.worth, bank_now(), bank_now() + interval '60 seconds')
      on conflict do nothing
      returning expires_at into expires;
  end if;
end $$;

-- Takes an order for a quote of this customer, and holds what it pays. Returns why not: not_found,
-- quote_used, quote_expired, limit_exceeded with its members, or what the account says.
create or replace function crypto_order_place(
  wanted uuid, quote uuid, customer uuid, out refusal text, out members jsonb
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  q crypto_quotes; coin uuid; held record; at_time timestamptz(3) := bank_now();
begin
  select * into q from crypto_quotes x where (x.id, x.user_id) = (quote, customer);
  if q.id is null then
    refusal := 'not_found';
    return;
  end if;
  coin := coin_account(customer, q.asset);
  perform 1 from accounts a where a.id in (q.account_id, coin) order by a.id for no key update;
  perform limit_lock(array[customer]);
  select * into strict q from crypto_quotes x where x.id = quote for update;
  members := crypto_limit_passed(customer, q.side, q.worth, at_time);
  refusal := case
    when exists (select from crypto_orders o where o.quote_id = q.id) then 'quote_used'
    when q.expires_at <= at_time then 'quote_expired'
    when members is not null then 'limit_exceeded' end;
  if refusal is null then
    select h.hold_id, h.refusal into held from hold_open('crypto_order', wanted,
      case q.side when 'buy' then q.account_id else coin end,
      case q.side when 'buy' then q.currency else q.asset end,
      case q.side when 'buy' then q.gross else q.coins end, null, false) h;
    refusal := held.refusal;
  end if;
  if refusal is not null then return; end if;
  insert into crypto_orders (id, quote_id, user_id, status, hold_id, created_at)
    values (wanted, q.id, customer, 'open', held.hold_id, at_time);
  perform crypto_limit_count(customer, q.side, wanted, q.worth, at_time);
end $$;

-- Returns the ledger's command that carries an order out: between the bank account and the coin account,
-- through the bank's position in both assets at the middle of the prices, with fee and spread apart.
create or replace function crypto_order_command(o crypto_orders, q crypto_quotes) returns jsonb
language sql set search_path = public, pg_temp as $$
  select jsonb_build_object('id', uuidv7(), 'kind', 'crypto_' || q.side, 'source_type', 'crypto_order',
      'source_id', o.id, 'description', case q.side when 'buy' then 'Bought ' else 'Sold ' end
        || decimal_of(q.coins, q.asset) || ' ' || q.asset,
      'entries', jsonb_agg(jsonb_build_object('account', e.account, 'asset', e.asset,
        'amount', e.amount::text, 'part', e.part) order by e.n))
    from (select (q.price->'exchange'->>'mid')::numeric as mid, coin_account(q.user_id, q.asset) as coin,
                 house_account('fees', q.currency, o.id) as fees,
                 house_account('crypto_position', q.currency, o.id) as money_position,
                 house_account('crypto_position', q.asset, o.id) as coin_position,
                 house_account('fx_spread', case q.side when 'buy' then q.asset else q.currency end, o.id)
                   as spread) x
    cross join lateral (values
      (1, 'buy', q.account_id, q.currency, q.fee - q.gross, 'principal'),
      (2, 'buy', x.money_position, q.currency, q.gross - q.fee, 'fx'),
      (3, 'buy', x.coin_position, q.asset, - x.mid, 'fx'),
      (4, 'buy', x.spread, q.asset, x.mid - q.coins, 'spread'),
      (5, 'buy', x.coin, q.asset, q.coins, 'principal'),
      (1, 'sell', x.coin, q.asset, - q.coins, 'principal'),
      (2, 'sell', x.coin_position, q.asset, q.coins, 'fx'),
      (3, 'sell', x.money_position, q.currency, - x.mid, 'fx'),
      (4, 'sell', x.spread, q.currency, x.mid - q.gross, 'spread'),
      (5, 'sell', q.account_id, q.currency, q.gross, 'principal'),
      (6, q.side, q.account_id, q.currency, - q.fee, 'fee'),
      (7, q.side, x.fees, q.currency, q.fee, 'fee')) e(n, side, account, asset, amount, part)
    where e.side = q.side and e.amount <> 0
$$;

-- Carries an order out, once: both sides are booked, or, if the books refuse that for good, what is held is
-- let go, and its limits are given back. Returns what became of it.
create or replace function crypto_order_fill(wanted uuid, out status text, out failure text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare o crypto_orders; q crypto_quotes; command jsonb; verdict text;
begin
  select * into strict o from crypto_orders x where x.id = wanted for no key update;
  if o.status = 'open' then
    select * into strict q from crypto_quotes x where x.id = o.quote_id;
    command := crypto_order_command(o, q);
    verdict := hold_capture(o.hold_id, command, true);
    if verdict = 'posted' then
      update crypto_orders x set status = 'filled', transaction_id = (command->>'id')::uuid,
          finished_at = bank_now()
        where x.id = o.id returning * into o;
    else
      perform hold_release(o.hold_id);
      perform limit_lock(array[o.user_id]);
      perform limit_change(o.id, 0);
      update crypto_orders x set status = 'failed', failure = verdict, finished_at = bank_now()
        where x.id = o.id returning * into o;
    end if;
  end if;
  status := o.status;
  failure := o.failure;
end $$;

grant execute on function coin_price_to_trade, crypto_quote_make, crypto_order_place, crypto_order_fill
  to teller_app;
