-- What happens to payments, cards, tickets and requests is written as events in the transaction of its cause,
-- whoever causes it. Such an event names the row that says what happened, so a payment pays for one row a
-- person and no more; a worker tells people of it within moments.

-- Returns who is told what of a transfer that has come to a status; 'before' is null if it was just made. A
-- payment that is held by a flag is told as one that waits for an approval, and never told again when it goes
-- from one to the other. Whoever has cancelled their own payment knows.
create or replace function payment_news(
  t_kind text, t_status text, before text, customer uuid, source uuid, destination uuid, decider uuid
) returns table (type text, person uuid) language sql stable set search_path = public, pg_temp as $$
  select 'payment_sent', customer where t_kind = 'transfer' and t_status in ('submitted', 'executed')
    and coalesce(before, '') <> 'submitted'
  union all
  select 'payment_received', a.owner_id from accounts a
    where t_kind = 'transfer' and t_status = 'executed' and a.id = destination and a.owner_id <> customer
  union all
  select 'payment_waiting', customer
    where t_kind = 'transfer' and before is null and t_status in ('pending_approval', 'aml_review', 'queued')
  union all
  select 'payment_failed', customer where t_kind = 'transfer'
    and (t_status in ('rejected', 'expired', 'failed') or (t_status = 'cancelled' and decider <> customer))
  union all
  select 'payment_returned', customer where t_kind = 'transfer' and t_status = 'returned'
  union all
  select case a.id when source then 'payment_sent' else 'payment_received' end, a.owner_id from accounts a
    where t_kind = 'adjustment' and t_status = 'executed' and a.id in (source, destination)
      and a.owner_id = customer
  union all
  select distinct 'payment_returned', a.owner_id from accounts a
    where t_kind = 'reversal' and t_status = 'executed' and a.id in (source, destination)
      and a.owner_id is not null
$$;

-- Notes what a new transfer is for whom; they are told of it later, so that a payment waits for nobody.
create or replace function tell_of_new_transfers() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into events (type, user_id, subject, waiting, created_at)
    select n.type, n.person, t.id, true, bank_now() from transfers_now t
      cross join lateral payment_news(t.kind, t.status, null, t.customer_id, t.source_account_id,
        t.destination_account_id, t.decided_by) n;
  return null;
end $$;

-- Notes what a transfer that has gone on is for whom.
create or replace function tell_of_moved_transfers() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into events (type, user_id, subject, waiting, created_at)
    select n.type, n.person, t.id, true, bank_now() from transfers_now t
      join transfers_before o on o.id = t.id and o.status <> t.status
      cross join lateral payment_news(t.kind, t.status, o.status, t.customer_id, t.source_account_id,
        t.destination_account_id, t.decided_by) n;
  return null;
end $$;

create or replace trigger transfers_told_when_made after insert on transfers
  referencing new table as transfers_now for each statement execute function tell_of_new_transfers();
create or replace trigger transfers_told_when_moved after update on transfers
  referencing old table as transfers_before new table as transfers_now
  for each statement execute function tell_of_moved_transfers();

-- Writes an event about this row. Arguments: its type, and the column that names the person.
create or replace function tell_of_row() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into events (type, user_id, subject, waiting, created_at)
    values (tg_argv[0], (to_jsonb(new) ->> tg_argv[1])::uuid, new.id, true, bank_now());
  return null;
end $$;

create or replace trigger tickets_told_when_closed after update of status on tickets for each row
  when (old.status <> 'closed' and new.status = 'closed')
  execute function tell_of_row('ticket_closed', 'customer_id');
create or replace trigger account_requests_told_when_made after insert on account_requests for each row
  execute function tell_of_row('account_request', 'user_id');

create or replace trigger crypto_deposits_told after update of status on crypto_deposits for each row
  when (old.status <> 'credited' and new.status = 'credited')
  execute function tell_of_row('crypto_deposit', 'user_id');

-- Writes an event about an order of coins that has ended, with what it has become.
create or replace function tell_of_crypto_order() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into events (type, user_id, subject, state, waiting, created_at)
    select 'crypto_order', new.user_id, new.id, case when new.status = 'failed' then 'failed'
             when q.side = 'buy' then 'bought' else 'sold' end, true, bank_now()
      from crypto_quotes q where q.id = new.quote_id;
  return null;
end $$;

create or replace trigger crypto_orders_told after update of status on crypto_orders for each row
  when (old.status = 'open' and new.status <> 'open') execute function tell_of_crypto_order();

create or replace trigger card_authentications_told_when_asked after insert on card_authentications
  for each row when (new.status = 'pending') execute function tell_of_row('card_challenge', 'owner_id');
-- whatever locks a card also tells
create or replace trigger card_authentications_told_of_lock after insert on card_authentications
  for each row when (new.rule = 'cvv_lock') execute function tell_of_row('card_declined', 'owner_id');

-- Writes an event about a card, with what it has become.
create or replace function tell_of_card() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into events (type, user_id, subject, state, waiting, created_at)
    values ('card_status', new.owner_id, new.id, case when new.closed_reason = 'expired' then 'expired'
      when new.status = 'blocked' then 'blocked_by_' || new.blocked_by else new.status end, true, bank_now());
  return null;
end $$;

create or replace trigger cards_told_when_issued after insert on cards for each row
  execute function tell_of_card();
-- holders know what they have blocked themselves, and that a closed account has no cards
create or replace trigger cards_told_when_changed after update of status, blocked_by on cards for each row
  when (new.closed_reason is distinct from 'account_closed' and (
    (old.blocked_by is not distinct from 'bank') <> (new.blocked_by is not distinct from 'bank')
    or old.status = 'inactive' and new.status = 'active' or new.status = 'closed'))
  execute function tell_of_card();

-- Tells people of events that wait, the oldest first. Returns how many there were.
create or replace function events_tell(most bigint) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare e record; told bigint := 0;
begin
  for e in select v.id, v.type, v.user_id, u.locale from events v join users u on u.id = v.user_id
      where v.waiting order by v.id limit most for update of v skip locked loop
    update events v set waiting = false where v.id = e.id;
    perform event_tell(e.id, e.type, e.user_id, e.locale, null, null);
    told := told + 1;
  end loop;
  return told;
end $$;
grant execute on function events_tell to teller_app;
