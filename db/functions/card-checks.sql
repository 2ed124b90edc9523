-- What stands between a card and a payment: the card itself, its verification value, its controls, proofs of
-- the holder, and limits. Each check returns why not as {reason, rule, …}, or null. Their caller holds the
-- locks of the account and of the owner's counters, so payments of a card are looked at one after the other.

-- Returns why a card pays nothing, or null.
create or replace function card_state_refusal(c cards) returns text
language sql stable set search_path = public, pg_temp as $$
  select case
    when c.closed_reason in ('lost', 'stolen') then 'card_' || c.closed_reason
    when c.closed_reason = 'expired' then 'expired_card'
    when c.status = 'closed' and exists (select from cards n where n.replaces = c.id) then 'card_replaced'
    when c.status <> 'active' then 'card_' || c.status end
$$;

-- Returns whether a way to pay is one without the card at hand.
create or replace function card_is_remote(entry_mode text) returns boolean
language sql immutable as $$ select entry_mode in ('ecommerce', 'manual', 'recurring') $$;

-- Counts a wrong verification value or expiry. The last one of so many within an hour locks remote payments
-- for a while; returns whether it was that.
create or replace function card_guessed(c cards, settings jsonb) returns boolean
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare g card_guards; wrong timestamptz[]; locks boolean; until timestamptz;
begin
  select * into g from card_guards x where x.card_id = c.id;
  wrong := array(select w from unnest(g.cvv_wrong_at) w where w > bank_now() - interval '1 hour')
    || bank_now();
  locks := cardinality(wrong) >= (settings->>'cvv_tries')::int;
  until := case when locks then bank_now() + make_interval(mins => (settings->>'cvv_lock_minutes')::int) end;
  insert into card_guards as k (card_id, cvv_wrong_at, cvv_locked_until)
      values (c.id, case when locks then '{}' else wrong end, until)
    on conflict (card_id) do update set cvv_wrong_at = excluded.cvv_wrong_at,
      cvv_locked_until = coalesce(excluded.cvv_locked_until, k.cvv_locked_until);
  return locks;
end $$;

-- Looks at the expiry and the verification value, and counts wrong ones as guesses. While payments without
-- the card are locked, nothing of them is compared, so that no answer says more. Those that a merchant has
-- started go on: they may leave out both.
create or replace function card_values_refusal(c cards, said jsonb, settings jsonb) returns jsonb
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  mode text := said->>'entry_mode'; is_started boolean := mode = 'recurring'; is_locked boolean := false;
  expiry text := to_char(c.expires_on, 'MM/YY');
begin
  if bank_day(bank_now()) > c.expires_on then return '{"reason": "expired_card", "rule": "card"}'; end if;
  if card_is_remote(mode) or said ? 'cvv_keys' then
    is_locked := exists (select from card_guards g
      where g.card_id = c.id and g.cvv_locked_until > bank_now());
  end if;
  if is_locked and mode in ('ecommerce', 'manual') then
    return '{"reason": "cvv_locked", "rule": "cvv"}';
  end if;
  if said->>'expiry' is null and not is_started then
    return '{"reason": "expired_card", "rule": "card"}';
  end if;
  if said->>'expiry' <> expiry and not (is_locked and is_started) then
    return jsonb_build_object('reason', 'expired_card',
      'rule', case when card_guessed(c, settings) then 'cvv_lock' else 'card' end);
  end if;
  if said ? 'cvv_keys' and not is_locked and not exists (select from card_secrets s
      where s.card_id = c.id and said->'cvv_keys' ? s.key_id) then
    return jsonb_build_object('reason', 'wrong_cvv',
      'rule', case when card_guessed(c, settings) then 'cvv_lock' else 'cvv' end);
  end if;
  return null;
end $$;

-- Looks at controls: those in force, the one merchant of a card, and the one payment of a single-use card,
-- which uses it for ever. `total` is what the payment comes to.
create or replace function card_control_refusal(
  c cards, controls jsonb, p card_payments, m card_messages, total numeric
) returns jsonb
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare rule text := card_control_broken(controls, m.said, card_kind(p, m.purpose) = 'cash');
begin
  if rule is null and c.merchant <> m.said->'merchant'->>'id' then rule := 'merchant'; end if;
  if rule is null and c.kind = 'single_use' and (total > c.single_use_amount or exists (
      select from card_payments o where o.card_id = c.id and o.id <> p.id
        and (o.authorised > 0 or o.completed is not null or o.cleared > 0))) then
    rule := 'single_use';
  end if;
  return case when rule is not null then jsonb_build_object('reason', 'control', 'rule', rule) end;
end $$;

-- Returns which count of unproved payments one belongs to; null if it needs no proof: the card was read by
-- its chip, or the merchant has started it. A magnetic stripe proves as little as a tap.
create or replace function card_sca_side(entry_mode text) returns text
language sql immutable as $$
  select case when entry_mode in ('contactless', 'magstripe') then 'contactless'
    when entry_mode in ('ecommerce', 'manual') then 'remote' end
$$;

-- Looks at whether the holder has to prove who they are. Without a proof a payment may be 50 in whole units
-- if the card is at hand, 30 if it is not (RTS 2018/389, articles 11 and 16), and together with those since
-- the last proof as much, or as many, as the product says of payments with the card or without it. Cards that
-- follow one another count together.
create or replace function card_sca_refusal(
  c cards, terms card_product_versions, unit text, said jsonb, more numeric
) returns jsonb
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  side text := card_sca_side(said->>'entry_mode'); g card_guards; most numeric; used int; spent numeric;
  sca jsonb := terms.sca; figures jsonb := case side when 'remote' then terms.sca_remote else terms.sca end;
begin
  if side is null or sca->>'mode' = 'off' then return null; end if;
  select * into g from card_guards s where s.card_id = c.line_id;
  select case side when 'contactless' then 50 else 30 end * power(10::numeric, a.scale) into most
    from assets a where a.code = unit;
  used := case side when 'contactless' then g.contactless_uses else g.remote_uses end;
  spent := case side when 'contactless' then g.contactless_amount else g.remote_amount end;
  if more <= most and (sca->>'mode' = 'amount' or coalesce(used, 0) < (figures->>'count')::int)
      and (sca->>'mode' = 'count' or coalesce(spent, 0) + more <= (figures->>'amount')::numeric) then
    return null;
  end if;
  return jsonb_build_object('reason', 'sca_required',
    'rule', case side when 'contactless' then said->>'entry_mode' else side end);
end $$;

-- Counts what was paid without a proof, whoever has approved it.
create or replace function card_sca_count(c cards, said jsonb, more numeric) returns void
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare side text := card_sca_side(said->>'entry_mode');
begin
  if side is null or more = 0 then return; end if;
  insert into card_guards as n (card_id, contactless_uses, contactless_amount, remote_uses, remote_amount)
      values (c.line_id, (side = 'contactless')::int, case side when 'contactless' then more else 0 end,
        (side = 'remote')::int, case side when 'remote' then more else 0 end)
    on conflict (card_id) do update set
      contactless_uses = n.contactless_uses + excluded.contactless_uses,
      contactless_amount = n.contactless_amount + excluded.contactless_amount,
      remote_uses = n.remote_uses + excluded.remote_uses,
      remote_amount = n.remote_amount + excluded.remote_amount;
end $$;

-- Begins to count anew, because the holder has proved who they are.
create or replace function card_sca_begin(c cards) returns void
language sql set search_path = public, pg_temp as $$
  update card_guards set contactless_uses = 0, contactless_amount = 0, remote_uses = 0, remote_amount = 0
    where card_id = c.line_id
$$;

-- Returns the scope of a limit as its counter names it: that of merchant categories is mcc/5411_5812.
create or replace function card_scope_name(scope jsonb) returns text
language sql immutable as $$
  select case jsonb_typeof(scope) when 'string' then scope #>> '{}'
    else 'mcc/' || (select string_agg(distinct c, '_' order by c)
      from jsonb_array_elements_text(scope->'mcc') c) end
$$;

-- Returns whether a limit of this scope counts a payment.
create or replace function card_scope_counts(scope text, purpose text, entry_mode text, mcc text)
returns boolean
language sql immutable as $$
  select case when scope = 'all' then true when scope = 'online' then card_is_remote(entry_mode)
    when scope = 'contactless' then entry_mode = 'contactless'
    when starts_with(scope, 'mcc/') then mcc = any (string_to_array(substr(scope, 5), '_'))
    else purpose = scope end
$$;

-- Returns what of a payment limits count, message by message. The first one that opened something is counted
-- under the id of the payment. `used` is of card_fold.
create or replace function card_uses(p card_payments, messages card_messages[], used numeric[])
returns table (place int, source uuid, kind text, entry_mode text, mcc text, at timestamptz, amount numeric)
language sql immutable as $$
  select m.place, case when is_first then p.id else m.id end, card_kind(p, m.purpose),
         m.said->>'entry_mode', m.said->'merchant'->>'mcc', m.at, used[m.place]
    from (select x.*, x.place = min(x.place) over () as is_first from unnest(messages) x
           where card_opens(x)) m
$$;

-- Returns the counter of a card for a scope, which it has in common with the cards before and after it. One
-- that is missing is made from the payments that there are, so that a limit holds from the moment it is set.
create or replace function card_counter(c cards, scope text, unit text) returns bigint
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare made record;
begin
  select * into made from limit_counter(c.owner_id, 'card/' || scope, unit, 'card', c.line_id);
  if made.is_new then
    -- a payment is one use of a scope, whatever it adds later
    perform limit_count_past(made.counter, array_agg(x.source order by x.at, x.id, x.place),
        array_agg(x.amount order by x.at, x.id, x.place), array_agg(x.at order by x.at, x.id, x.place),
        array_agg(x.counts order by x.at, x.id, x.place))
      from (select o.id, u.*, (u.place = min(u.place) over (partition by o.id))::int as counts
              from card_payments o, card_messages_of(o.id) m, card_fold(o, m) f, card_uses(o, m, f.used) u
             where o.card_id in (select k.id from cards k where k.line_id = c.line_id)
               and o.authorised > o.reversed + o.lapsed and u.amount > 0
               and card_scope_counts(scope, u.kind, u.entry_mode, u.mcc)) x;
  end if;
  return made.counter;
end $$;

-- Returns whether a payment is one use of a counter already.
create or replace function card_is_counted(p card_payments, messages card_messages[], counter bigint)
returns boolean
language sql stable set search_path = public, pg_temp as $$
  select exists (select from limit_uses u where u.counter_id = counter and u.counts = 1
    and (u.source_id = p.id or u.source_id in (select m.id from unnest(messages) m)))
$$;

-- Looks at limits: of those that a payment would pass, the one with least left is named. `more` is what the
-- message adds, `total` what the payment comes to.
create or replace function card_limit_refusal(
  c cards, limits jsonb, p card_payments, messages card_messages[], m card_messages, more numeric,
  total numeric
) returns jsonb
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  rule jsonb; scope text; passed jsonb; tightest jsonb; left_of numeric; least numeric; counter bigint;
begin
  for rule, scope in select l, card_scope_name(l->'scope') from jsonb_array_elements(limits) l
    where card_scope_counts(card_scope_name(l->'scope'), card_kind(p, m.purpose), m.said->>'entry_mode',
      m.said->'merchant'->>'mcc')
  loop
    counter := card_counter(c, scope, p.asset);
    -- what is added to a payment is no further use
    passed := limit_passed(counter,
      jsonb_build_array(case when cardinality(messages) > 0 and card_is_counted(p, messages, counter)
        then rule - 'count' else rule end),
      case rule->>'period' when 'transaction' then total else more end, p.asset, bank_now());
    left_of := (passed->>'remaining')::numeric;
    if passed is not null and (least is null or left_of < least) then
      least := left_of;
      tightest := jsonb_build_object('reason', 'limit_exceeded',
          'rule', concat_ws('/', passed->>'period', nullif(scope, 'all')),
          'limit', coalesce(passed->'amount', passed->'count'))
        || jsonb_build_object('used', passed->'used', 'remaining', passed->'remaining');
    end if;
  end loop;
  return tightest;
end $$;

-- Makes the counters of a card count what a payment uses now: what a message adds, when it is taken. A
-- payment is one use of a counter.
create or replace function card_limit_count(p card_payments, messages card_messages[], used numeric[])
returns void
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare u record; line uuid := (select c.line_id from cards c where c.id = p.card_id);
begin
  for u in select * from card_uses(p, messages, used) x order by x.place loop
    if exists (select from limit_uses k where k.source_id = u.source and k.amount <> u.amount) then
      perform limit_change(u.source, u.amount);
    end if;
    perform limit_count(k.id, u.source, u.amount, bank_now(), (cardinality(messages) = 1)::int)
      from limit_counters k
      where u.amount > 0 and k.owner_id = p.owner_id and k.subject = 'card' and k.subject_id = line
        and k.unit = p.asset and card_scope_counts(substr(k.scope, 6), u.kind, u.entry_mode, u.mcc)
        and not exists (select from limit_uses x where x.source_id = u.source and x.counter_id = k.id);
  end loop;
  if cardinality(messages) = 1 then return; end if;
  perform limit_count_use(x.counter_id, x.source_id) from (
    select distinct on (l.counter_id) l.counter_id, l.source_id from limit_uses l
      where l.source_id in (select p.id union all select m.id from unnest(messages) m)
        and not card_is_counted(p, messages, l.counter_id)
      order by l.counter_id, l.at, l.id) x;
end $$;
