-- What a card payment is follows from its messages and from what was cleared of it: each purchase, cash,
-- increment and total that was approved, or has happened, opens an amount; reversals take back; the last
-- total that stands counts instead of all that was opened; what was cleared closes what was opened, the
-- oldest first; what a hold that ended had open, or the last record has left, has lapsed.
-- `test/support/bank/card-payment-model.ts` says the same once more.

-- Returns what kind of payment a message is about: what adds to a payment, or names its total, is of its
-- kind.
create or replace function card_kind(p card_payments, purpose text) returns text
language sql immutable as $$
  select case when purpose not in ('increment', 'completion') then purpose
    when p.purpose = 'cash' then 'cash' else 'purchase' end
$$;

-- Returns whether a message opens an amount, or names the total.
create or replace function card_opens(m card_messages) returns boolean
language sql immutable as $$
  select m.type <> '0420' and m.approved is not null
    and m.purpose in ('purchase', 'cash', 'increment', 'completion')
$$;

-- Returns how much of a message was taken back by reversals that name it, if a place is given by those before
-- it; null if none names it. A reversal means the request of that name, if one was approved. A network that
-- stands in may give its advice the keys of the request that it lost: what names them before means that
-- request.
create or replace function card_named_back(messages card_messages[], m card_messages, up_to int)
returns numeric
language sql immutable set search_path = public, pg_temp as $$
  select sum(coalesce(r.amount, m.amount)::numeric) from unnest(messages) r
    where r.reverses_stan = m.stan and r.reverses_rrn = m.rrn and (r.place < up_to is not false)
      and (m.type = '0100' or (r.place > m.place or not m.stood_in) and not exists (
        select from unnest(messages) q
          where q.type = '0100' and card_opens(q) and q.stan = m.stan and q.rrn = m.rrn))
$$;

-- Returns whether a message was taken back whole by one reversal that names it.
create or replace function card_undone(messages card_messages[], m card_messages, opened numeric)
returns boolean
language sql immutable set search_path = public, pg_temp as $$
  select card_named_back(messages, m, null) >= opened and exists (select from unnest(messages) r
    where r.reverses_stan = m.stan and r.reverses_rrn = m.rrn and coalesce(r.amount, opened) >= opened)
$$;

-- Returns whether the network has answered this request itself, because it did not get the bank's answer.
-- Each advice of this kind stands for one request: the first of those that are alike.
create or replace function card_stood_in(messages card_messages[], m card_messages) returns boolean
language sql immutable set search_path = public, pg_temp as $$
  select m.type = '0100' and coalesce(sum(case when x.type = '0120' then (x.stood_in and card_opens(x))::int
      when x.place < m.place and card_opens(x) then -1 end), 0) > 0
    from unnest(messages) x where x.type <> '0420' and x.rrn = m.rrn and x.purpose = m.purpose
      and x.amount is not distinct from m.amount
$$;

-- Returns how much of an opened amount is set aside: if its final sum is not known, what the category of the
-- merchant adds. A sum of which a part was taken back is known.
create or replace function card_set_aside(p card_payments, m card_messages, opened numeric, rest numeric)
returns numeric
language sql immutable as $$
  select case when rest < opened or m.purpose = 'completion' then rest
    else greatest(ceil(rest * (1 + coalesce(p.hold_percent, 0) / 100)),
      case when m.purpose <> 'increment' then p.hold_amount end) end
$$;

-- Returns what of a payment is open by its sums.
create or replace function card_open(p card_payments) returns numeric
language sql immutable as $$ select p.authorised - p.reversed - p.matched - p.lapsed $$;

-- Returns the status that follows from the sums of a payment.
create or replace function card_status_of(p card_payments, has_reversal boolean) returns text
language sql immutable as $$
  select case
    when card_open(p) > 0 then 'authorised'
    when p.refunded > 0 and p.refunded >= p.cleared then 'refunded'
    when p.cleared > 0 then 'cleared'
    when p.lapsed > 0 then 'expired'
    when p.authorised > 0 or p.completed = 0 or has_reversal then 'reversed'
    when p.decline is not null then 'declined'
    else 'checked' end
$$;

-- Folds the messages of a payment, oldest first, into its sums and its status. What was cleared and refunded
-- stands in the payment, in no order to them. `used` is what of each message limits count; `aside` what is to
-- be held without fees; `cash` and `exchanged` what of it fees are for.
create or replace function card_fold(
  inout p card_payments, messages card_messages[],
  out used numeric[], out aside numeric, out cash numeric, out exchanged numeric
) language plpgsql immutable set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  n int := coalesce(cardinality(messages), 0);
  nothing numeric[] := array_fill(0::numeric, array[n]);
  -- what each message opened, what of it no reversal has named, and what is left of that
  opened numeric[] := nothing; own numeric[] := nothing; rest numeric[];
  is_total boolean[] := array_fill(false, array[n]);
  has_reversal boolean := false;
  -- the total that stands, the first lapse after it, and the last lapse
  total int; lapse int; last_lapse int := coalesce((select max(l) from unnest(p.lapsed_places) l), 0);
  back numeric; part numeric; m card_messages; left_to_match numeric := p.cleared;
begin
  used := nothing;
  for i in 1..n loop
    has_reversal := has_reversal or (messages[i]).type = '0420';
  end loop;
  for i in 1..n loop
    m := messages[i];
    continue when not card_opens(m) or n > 1 and card_stood_in(messages, m);
    back := null;
    opened[i] := m.approved;
    if has_reversal then
      back := card_named_back(messages, m, null);
      -- it was answered with what was left of it
      if m.type = '0100' then opened[i] := opened[i] + coalesce(card_named_back(messages, m, i), 0); end if;
    end if;
    own[i] := greatest(opened[i] - coalesce(back, 0), 0);
    -- a total that was taken back was never named
    if m.purpose = 'completion' and back is not null and card_undone(messages, m, opened[i]) then
      opened[i] := 0;
      own[i] := 0;
      continue;
    end if;
    is_total[i] := m.purpose = 'completion';
  end loop;
  rest := own;

  p.reversed_whole := false;
  for i in 1..n loop
    if is_total[i] then
      total := i;
      lapse := (select min(l) from unnest(p.lapsed_places) l where l >= total);
    end if;
    m := messages[i];
    continue when m.type <> '0420' or m.reverses_stan is not null;
    -- what names nothing takes from what is open when it comes, the newest first
    p.reversed_whole := p.reversed_whole or m.amount is null;
    back := m.amount;
    for j in reverse i - 1..1 loop
      continue when rest[j] = 0 or j <> total and (j > lapse) is not true;
      part := least(rest[j], back);
      rest[j] := rest[j] - part;
      back := back - part;
    end loop;
  end loop;

  p.completed := case when total is not null then opened[total] end;
  p.authorised := 0;
  p.reversed := 0;
  p.lapsed := 0;
  p.matched := 0;
  aside := 0;
  cash := 0;
  exchanged := 0;
  for i in 1..n loop
    -- a total counts instead of all else, but for what was opened after it had lapsed
    continue when i <> total and (i > lapse) is not true;
    m := messages[i];
    p.authorised := p.authorised + opened[i];
    p.reversed := p.reversed + opened[i] - rest[i];
    part := least(rest[i], left_to_match);
    left_to_match := left_to_match - part;
    p.matched := p.matched + part;
    used[i] := rest[i];
    rest[i] := rest[i] - part;
    if i <= last_lapse or p.is_final then
      p.lapsed := p.lapsed + rest[i];
      used[i] := part;
    elsif rest[i] > 0 then
      aside := aside + card_set_aside(p, m, opened[i], rest[i]);
      if card_kind(p, m.purpose) = 'cash' then cash := cash + rest[i]; end if;
      if coalesce(m.said#>>'{merchant_amount,asset}', p.merchant_asset) <> p.asset then
        exchanged := exchanged + rest[i];
      end if;
    end if;
  end loop;

  -- limits count a total where it was asked for, and only the rest where it was named
  for i in 1..coalesce(total, 0) - 1 loop
    continue when is_total[i] or own[i] = 0;
    used[i] := least(own[i], used[total]);
    used[total] := used[total] - used[i];
  end loop;
  p.status := card_status_of(p, has_reversal);
end $$;

-- Returns what of a payment is open after these messages: nothing before the first one.
create or replace function card_open_after(p card_payments, messages card_messages[]) returns numeric
language sql immutable set search_path = public, pg_temp as $$
  select case when messages = '{}' then 0 else (select card_open(f.p) from card_fold(p, messages) f) end
$$;

-- Returns all messages of a payment, oldest first.
create or replace function card_messages_of(payment uuid) returns card_messages[]
language sql stable set search_path = public, pg_temp as $$
  select array(select m from card_messages m where m.payment_id = payment order by m.place)
$$;

-- Returns the fees of so much cash, and of so much that was paid in another currency.
create or replace function card_fees_of(p card_payments, cash numeric, exchanged numeric) returns numeric
language sql stable set search_path = public, pg_temp as $$
  select case when cash > 0 then card_fee(p, 'card_cash', cash) else 0 end
    + case when exchanged > 0 then card_fee(p, 'card_fx', exchanged) else 0 end
$$;

-- Returns what a payment is to hold: what is set aside, with the fees that what is open adds to those booked.
create or replace function card_hold_wanted(p card_payments, aside numeric, cash numeric, exchanged numeric)
returns numeric
language sql stable set search_path = public, pg_temp as $$
  select aside + case when cash = 0 and exchanged = 0 then 0 else
    greatest(card_fees_of(p, p.cleared_cash + cash, p.cleared_exchanged + exchanged) - p.booked_fees, 0) end
$$;

-- Returns what a payment was after each of its messages, the first hundred of them, as if nothing were
-- cleared: its sums and its status, and what it was to hold, with the fees of today.
create or replace function card_payment_history(
  payment uuid, out place int, out status text, out authorised numeric, out reversed numeric, out held numeric
) returns setof record
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare p card_payments; messages card_messages[]; m card_messages; lapses int[]; f record;
begin
  select * into p from card_payments x where x.id = payment;
  messages := card_messages_of(payment);
  lapses := p.lapsed_places;
  p.cleared := 0;
  p.refunded := 0;
  p.is_final := false;
  p.cleared_cash := 0;
  p.cleared_exchanged := 0;
  p.booked_fees := 0;
  for n in 1..least(cardinality(messages), 100) loop
    m := messages[n];
    p.lapsed_places := array(select l from unnest(lapses) l where l < n);
    if m.type <> '0420' then p.decline := case when m.approved is null then '{}'::jsonb end; end if;
    select * into f from card_fold(p, messages[1:n]);
    place := m.place;
    status := (f.p).status;
    authorised := (f.p).authorised;
    reversed := (f.p).reversed;
    held := card_hold_wanted(f.p, f.aside, f.cash, f.exchanged);
    return next;
  end loop;
end $$;
grant execute on function card_payment_history to teller_app;
