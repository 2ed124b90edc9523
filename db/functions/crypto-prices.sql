-- Prices of coins. A source counts while it is young, by its own clock, and near the middle of all that are
-- young; the price is the median of those that count, and there is none of fewer than two. A price that has
-- jumped opens the coin's breaker instead of being taken.

-- Returns the median: the value in the middle, or the mean of the two there; null of no values.
create or replace function median(given numeric[]) returns numeric
language sql immutable set search_path = public, pg_temp as $$
  select trim_scale((v[(cardinality(v) + 1) / 2] + v[cardinality(v) / 2 + 1]) * 0.5)
    from (select array_agg(x order by x) as v from unnest(given) x) sorted
$$;

-- Returns the price that follows from what the sources say now, without looking at the breaker.
create or replace function coin_price_told(
  coin text, in_currency text, out price numeric, out priced_at timestamptz, out sources jsonb
) language sql set search_path = public, pg_temp as $$
  with young as (
    select s.source, s.price, s.told_at from source_prices s, bank_settings b
     where s.asset = coin and s.currency = in_currency
       and abs(extract(epoch from machine_now() - s.told_at)) <= b.price_max_age_seconds
  ), usable as (
    select y.source, y.price, y.told_at from young y, crypto_assets c,
           (select median(array_agg(all_young.price)) as price from young all_young) middle
     where c.asset = coin and abs(y.price - middle.price) * 10000 <= c.max_deviation_bps * middle.price
  )
  select median(array_agg(u.price)), min(u.told_at),
         jsonb_agg(jsonb_build_object('source', u.source, 'price', trim_scale(u.price)::text,
           'at', u.told_at) order by u.source)
    from usable u having count(*) >= 2
$$;

-- Takes the price of a coin that follows from what the sources say now, unless its breaker is open. Opens it
-- if the price is too far from the one before, however old that is. Returns whether it was opened by this.
create or replace function coin_price_settle(coin text, in_currency text) returns boolean
language plpgsql set search_path = public, pg_temp as $$
declare old coin_prices; told record; breaker_bps int;
begin
  insert into coin_prices (asset, currency) values (coin, in_currency) on conflict do nothing;
  select * into strict old from coin_prices p where (p.asset, p.currency) = (coin, in_currency) for update;
  select * into told from coin_price_told(coin, in_currency);
  if told.price is null or old.breaker_opened_at is not null then return false; end if;
  select c.breaker_bps into strict breaker_bps from crypto_assets c where c.asset = coin;
  if old.price is not null and abs(told.price - old.price) * 10000 > breaker_bps * old.price then
    update coin_prices p set breaker_opened_at = bank_now(), breaker_price = told.price
      where (p.asset, p.currency) = (coin, in_currency);
    return true;
  end if;
  update coin_prices p set price = told.price, priced_at = told.priced_at, sources = told.sources
    where (p.asset, p.currency) = (coin, in_currency);
  return false;
end $$;

-- Keeps what a source says of coins, [{ asset, price, at }], and takes the prices that follow. What it no
-- longer says grows old. Returns the coins whose breakers it has opened.
create or replace function source_prices_note(of_source text, in_currency text, told jsonb)
returns setof text
language plpgsql security definer set search_path = public, pg_temp as $$
declare coin text;
begin
  insert into source_prices (asset, currency, source, price, told_at)
    select c.asset, in_currency, of_source, t.price, t.at
      from jsonb_to_recordset(told) t(asset text, price numeric, at timestamptz)
      join crypto_assets c on c.asset = t.asset
     order by c.asset
    on conflict (asset, currency, source) do update set price = excluded.price, told_at = excluded.told_at;
  for coin in
    select distinct s.asset from source_prices s where s.currency = in_currency order by s.asset
  loop
    if coin_price_settle(coin, in_currency) then return next coin; end if;
  end loop;
end $$;

-- Takes the turn of asking a source, if nobody has within so many seconds.
create or replace function price_poll_begin(of_source text, every_seconds int) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into price_sources as p (source, asked_at) values (of_source, machine_now())
    on conflict (source) do update set asked_at = machine_now()
      where p.asked_at <= machine_now() - make_interval(secs => every_seconds);
  return found;
end $$;

-- Closes the breaker of a coin: whatever the sources say now is its price. Returns false if it was not open.
create or replace function coin_breaker_reset(coin text, actor uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare in_currency text;
begin
  perform require_action(actor, 'crypto:write');
  select s.base_asset into in_currency from fx_settings s;
  update coin_prices p set price = null, priced_at = null, sources = null,
      breaker_opened_at = null, breaker_price = null
    where (p.asset, p.currency) = (coin, in_currency) and p.breaker_opened_at is not null;
  if not found then return false; end if;
  perform coin_price_settle(coin, in_currency);
  return true;
end $$;

-- Keeps the price of a coin because something is done at it, and returns its id; null if it has none. How old
-- the price may be is for the caller to ask.
create or replace function coin_price_use(coin text, in_currency text) returns uuid
language plpgsql set search_path = public, pg_temp as $$
declare p coin_prices; used uuid;
begin
  select * into p from coin_prices x where (x.asset, x.currency) = (coin, in_currency);
  if p.price is null then return null; end if;
  insert into used_prices (asset, currency, price, priced_at, sources)
    values (coin, in_currency, p.price, p.priced_at, p.sources)
    on conflict on constraint used_prices_once do nothing returning id into used;
  if used is null then
    select u.id into strict used from used_prices u
      where (u.asset, u.currency, u.priced_at, u.price) = (coin, in_currency, p.priced_at, p.price);
  end if;
  return used;
end $$;

-- Begins the snapshot of this day, unless it has begun: keeps its moment and the prices of then. Returns the
-- day.
create or replace function crypto_snapshot_begin() returns date
language plpgsql security definer set search_path = public, pg_temp as $$
declare moment timestamptz(3) := bank_now(); today date := bank_day(moment);
begin
  insert into crypto_snapshot_days (day, asset, currency, price_id, taken_at)
    select today, c.asset, s.base_asset, coin_price_use(c.asset, s.base_asset), moment
      from crypto_assets c, fx_settings s
     where not exists (select from crypto_snapshot_days d where d.day = today)
     order by c.asset
    on conflict do nothing;
  return today;
end $$;

-- Takes the snapshot of a day for the next accounts of coins by id: what was on them at its moment. Repeated,
-- it adds nothing. `last` is the last one looked at, null if there are no more.
create or replace function crypto_snapshot_take(
  of_day date, after uuid, most int, out last uuid, out taken int
) language sql security definer set search_path = public, pg_temp as $$
  with batch as (
    select a.id, a.owner_id, a.asset from accounts a
     where a.kind = 'coin' and a.id > after order by a.id limit most
  ), kept as (
    insert into crypto_snapshots (user_id, day, asset, balance)
      select b.owner_id, d.day, b.asset, e.balance_after
        from batch b join crypto_snapshot_days d on d.day = of_day and d.asset = b.asset
        cross join lateral (select x.balance_after from ledger_entries x
          where x.account_id = b.id and x.booked_at <= d.taken_at
          order by x.booked_at desc, x.seq desc limit 1) e
      on conflict do nothing returning 1
  )
  select case when count(*) = most then (select b.id from batch b order by b.id desc limit 1) end,
         (select count(*) from kept)::int
    from batch
$$;

create or replace trigger used_prices_append_only before update or delete on used_prices
  for each row execute function refuse_change();
create or replace trigger crypto_snapshot_days_append_only before update or delete on crypto_snapshot_days
  for each row execute function refuse_change();
create or replace trigger crypto_snapshots_append_only before update or delete on crypto_snapshots
  for each row execute function refuse_change();

grant execute on function source_prices_note, price_poll_begin, coin_breaker_reset, crypto_snapshot_begin,
  crypto_snapshot_take to teller_app;
