-- Mail that is refused for good or comes back, and the addresses that get no more of it.

-- What is kept of an address: enough to know it again.
create or replace function address_hash(address text) returns bytea
language sql immutable strict set search_path = public, pg_temp as $$
  select sha256(convert_to(lower(address), 'UTF8'))
$$;
grant execute on function address_hash to teller_app;

-- Says a notification of a mandatory type elsewhere, because one delivery of it has not reached its person:
-- on the next channel that is not switched off, unless another has it or will have it; and where none is
-- left, in the feed or at any address, whatever is switched off. A code is not: its person asks for another.
-- What the event held must still be there, or its row say it.
create or replace function delivery_fall_over(d notification_deliveries) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare t notification_types; person uuid; until timestamptz; added bigint := 0;
begin
  if d.lane = 'codes' or d.reason in ('stopped', 'type_disabled', 'blocked') then return; end if;
  select x.* into t from notifications n
    join events e on e.id = n.event_id and (e.sealed_content is not null or e.subject is not null)
    join notification_types x on x.code = n.type_code and x.mandatory and x.enabled
    where n.id = d.notification_id and n.user_id is not null;
  if not found then return; end if;
  select n.user_id into person from notifications n where n.id = d.notification_id;
  -- it must be told, however late
  until := greatest(d.expires_at, bank_now() + interval '1 day');
  -- a channel that the person does not want is not made up for by another
  if d.channel <> 'in_app' and d.reason is distinct from 'preference' then
    insert into notification_deliveries
        (notification_id, channel, lane, addressed, created_at, due_at, expires_at)
      select d.notification_id, u.c, d.lane, false, bank_now(), bank_now(), until
        from unnest(array['email', 'sms', 'push']) with ordinality u(c, place)
        where u.c = any (t.channels_allowed)
          and not exists (select from notification_choices p where p.user_id = person
            and p.type_code = t.code and p.channel = u.c and not p.enabled)
          and (u.c <> 'push' or exists (select from push_subscriptions s where s.user_id = person))
          and not exists (select from notification_deliveries o
            where o.notification_id = d.notification_id and o.id <> d.id
              and (o.channel = u.c or (o.channel <> 'in_app' and o.status in ('queued', 'sent'))))
          and u.c <> d.channel
        order by u.place limit 1
      on conflict do nothing;
    get diagnostics added = row_count;
  end if;
  if added = 0 then added := delivery_insist(d, t, until); end if;
  if added > 0 then perform pg_notify('teller_deliveries', d.lane); end if;
end $$;

-- Says it where its person did not want it, if nothing but a push message has it or will have it, since a
-- browser that takes one may be gone. Returns how many deliveries there are more.
create or replace function delivery_insist(
  d notification_deliveries, t notification_types, until timestamptz
) returns bigint language plpgsql set search_path = public, pg_temp as $$
declare added bigint;
begin
  if exists (select from notification_deliveries o where o.notification_id = d.notification_id
      and o.channel <> 'push' and o.status in ('queued', 'sent')) then return 0; end if;
  update notification_deliveries o set status = 'queued', reason = null, finished_at = null, claim = null,
      claimed_until = null, begun_at = null, addressed = true, due_at = bank_now(), expires_at = until
    where o.notification_id = d.notification_id and o.channel = 'in_app' and o.status = 'suppressed'
      and o.reason = 'preference';
  get diagnostics added = row_count;
  if added > 0 then return added; end if;
  insert into notification_deliveries
      (notification_id, channel, lane, addressed, created_at, due_at, expires_at)
    select d.notification_id, u.c, d.lane, true, bank_now(), bank_now(), until
      from unnest(array['in_app', 'email', 'sms']) with ordinality u(c, place)
      where u.c = any (t.channels_allowed) and not exists (select from notification_deliveries o
        where o.notification_id = d.notification_id and o.channel = u.c)
      order by u.place limit 1
    on conflict do nothing;
  get diagnostics added = row_count;
  return added;
end $$;

-- Erases what an event held, once nothing of it is left to send. A mail may come back and be said again,
-- while its time lasts; a code never is.
create or replace function event_erase(happened uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update events e set sealed_content = null
    where e.id = happened and e.sealed_content is not null
      and not exists (select from notifications n join notification_deliveries o on o.notification_id = n.id
        where n.event_id = e.id and (o.status = 'queued' or (o.status = 'sent' and o.channel = 'email'
          and o.lane <> 'codes' and o.expires_at > bank_now())));
  return found;
end $$;

-- Erases what events held whose mail can no longer come back; at most so many. Returns how many.
create or replace function events_erase(most integer) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare erased bigint := 0; happened uuid;
begin
  for happened in select e.id from events e where e.sealed_content is not null
      and not exists (select from notifications n join notification_deliveries o on o.notification_id = n.id
        where n.event_id = e.id and (o.status = 'queued' or o.expires_at > bank_now()))
      order by e.created_at limit most for update skip locked loop
    if event_erase(happened) then erased := erased + 1; end if;
  end loop;
  return erased;
end $$;
grant execute on function events_erase to teller_app;

-- Lets an address get no more mail because of what became of this delivery. Returns its owner, who is to be
-- told, the first time.
create or replace function address_suppress(delivery uuid, why text)
returns table (owner uuid, reader_locale text)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into suppressed_addresses (address_hash, delivery_id, reason, created_at)
    select q.address_hash, q.id, why, bank_now() from notification_deliveries q
      where q.id = delivery and q.channel = 'email' and q.address_hash is not null
    on conflict (address_hash) where lifted_at is null do nothing;
  if not found then return; end if;
  return query select u.id, u.locale::text from notification_deliveries q
    join notifications n on n.id = q.notification_id join users u on u.id = n.user_id
    where q.id = delivery and address_hash(u.email) = q.address_hash;
end $$;
grant execute on function address_suppress to teller_app;

-- A mail that was sent has come back: the delivery that its address names, and all that came with it in one
-- digest. `soft`: they are tried again, later with each attempt, while their time lasts. `hard`: the address
-- gets no more. `refused`: this mail was not wanted there. Returns whoever is to be told that their address
-- is wrong.
create or replace function delivery_bounced(delivery uuid, kind text)
returns table (owner uuid, reader_locale text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  happened events;
  d notification_deliveries;
  -- read once, so that what came together is sent together again
  again timestamptz;
  returned uuid[] := array(
    select q.id from notification_deliveries q where q.id = delivery and q.channel = 'email'
    union
    select q.id from notification_deliveries q
      where q.provider_id = delivery::text and q.channel = 'email' and q.digest_at is not null);
begin
  -- as when a delivery ends, and in the order in which others lock them
  perform from notification_deliveries q
    join notifications n on n.id = q.notification_id join events e on e.id = n.event_id
    where q.id = any (returned) order by n.id for update of e;
  select bank_now() + make_interval(mins => least(360, 15 * (2 ^ least(q.attempts - 1, 10))::integer))
    into again from notification_deliveries q where q.id = delivery;
  for d in select q.* from notification_deliveries q
      where q.id = any (returned) and q.status = 'sent' order by q.notification_id for update loop
    select e.* into happened from notifications n join events e on e.id = n.event_id
      where n.id = d.notification_id;
    if kind = 'soft' and d.lane <> 'codes'
        and (happened.sealed_content is not null or happened.subject is not null)
        and again < d.expires_at then
      update notification_deliveries q set status = 'queued', reason = 'soft_bounce', finished_at = null,
          claim = null, claimed_until = null, begun_at = null, provider_id = null, due_at = again
        where q.id = d.id;
      continue;
    end if;
    update notification_deliveries q set status = 'failed', finished_at = bank_now(),
        reason = case kind when 'refused' then 'refused' else 'bounced' end
      where q.id = d.id;
    perform delivery_fall_over(d);
    perform event_erase(happened.id);
  end loop;
  if found and kind = 'hard' then return query select * from address_suppress(delivery, 'bounced'); end if;
end $$;
grant execute on function delivery_bounced to teller_app;

-- Whoever proves an address reads what goes there.
create or replace function lift_proven_address() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update suppressed_addresses s set lifted_at = bank_now()
    where s.address_hash = address_hash(new.email) and s.lifted_at is null;
  return null;
end $$;

create or replace trigger users_email_proven after update of email, email_verified_at on users
  for each row when (old.email is distinct from new.email
    or old.email_verified_at is distinct from new.email_verified_at)
  execute function lift_proven_address();
-- an administrator who is invited has proven nothing yet
create or replace trigger users_email_registered after insert on users
  for each row when (new.status <> 'pending') execute function lift_proven_address();
create or replace trigger suppressed_addresses_end_stands before update on suppressed_addresses
  for each row when (old.lifted_at is not null) execute function refuse_after_end();
create or replace trigger suppressed_addresses_never_deleted before delete on suppressed_addresses
  for each row execute function refuse_change();
create or replace trigger suppressed_addresses_author before update on suppressed_addresses
  for each row when (new.lifted_by is not null)
  execute function require_author('notifications:write', 'lifted_by');
