-- Events, who is told of them, and what becomes of each delivery. The application writes events and ends
-- deliveries by these functions only.

-- Whether a type tells a secret: a code, or a value whose name says that it is one. Whoever reads it in a
-- feed, or over a shoulder, could use it. Keep in step with SECRETS in domain/notifications/notifications.ts.
create or replace function tells_secret(lane text, variables jsonb) returns boolean
language sql immutable set search_path = public, pg_temp as $$
  select lane = 'codes' or exists (select from jsonb_array_elements(variables) v
    where v ->> 'name' ~ '(^|_)(code|pin|otp|password|secret|token|card_number|pan|cvv)$')
$$;

-- Writes an event and tells its person, if its type is switched on. Returns false if the event was written
-- before. What nobody is told is not kept. `addressed` and `wanted` are those of event_tell.
create or replace function event_write(
  event uuid, event_type text, person uuid, reader_locale text, sealed bytea, addressed text[],
  wanted text[]
) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare switched_on boolean;
begin
  select enabled into switched_on from notification_types t where t.code = event_type;
  if not found then
    raise exception 'there is no notification type %', event_type using errcode = 'foreign_key_violation';
  end if;
  insert into events (id, type, user_id, sealed_content, created_at)
    values (event, event_type, person, case when switched_on then sealed end, bank_now())
    on conflict (id) do nothing;
  if not found then return false; end if;
  if not event_tell(event, event_type, person, reader_locale, addressed, wanted) then
    update events set sealed_content = null where id = event;
  end if;
  return true;
end $$;
grant execute on function event_write to teller_app;

-- Writes the notification of an event with one delivery a channel. Returns whether somebody is told.
-- `addressed` are the channels on which it is told whatever its person prefers, at the address that the
-- sealed content names, and `wanted` those that its author asks for beside the feed. If that is null, the
-- person is told on the channels of the type too, and on those that they have asked for themselves; but
-- what goes to an address and not into a feed concerns the address only. A secret never goes into the feed
-- nor into a push message.
create or replace function event_tell(
  event uuid, event_type text, person uuid, reader_locale text, addressed text[], wanted text[]
) returns boolean language plpgsql set search_path = public, pg_temp as $$
declare t notification_types; notice uuid; secret boolean;
begin
  select * into t from notification_types where code = event_type and enabled;
  if not found then return false; end if;
  secret := tells_secret(t.lane, t.variables);
  insert into notifications (event_id, user_id, type_code, locale, created_at)
    values (event, person, event_type, reader_locale, bank_now()) returning id into notice;
  insert into notification_deliveries
      (notification_id, channel, lane, addressed, created_at, due_at, expires_at)
    select notice, c, t.lane, c = any (coalesce(event_tell.addressed, '{}')), bank_now(), bank_now(),
        bank_now() + make_interval(secs => t.ttl_seconds)
      from unnest(array['in_app', 'email', 'sms', 'push']) c
      where not (secret and c in ('in_app', 'push'))
        and (c <> 'push' or exists (select from push_subscriptions s where s.user_id = person))
        and (c = any (event_tell.addressed)
        or (person is not null and c = any (t.channels_allowed) and case
          when c = 'in_app' then true
          when wanted is not null then c = any (wanted)
          when event_tell.addressed is not null and (secret or not 'in_app' = any (t.channels_allowed))
            then false
          else c = any (t.channels_default) or exists (select from notification_choices p
            where p.user_id = person and p.type_code = t.code and p.channel = c and p.enabled) end));
  if not found then return false; end if;
  perform pg_notify('teller_deliveries', t.lane);
  return true;
end $$;

-- Ends a delivery, if the worker that asks has claimed it last. Returns whether it did. What a mandatory type
-- could not say on one channel is said on another; a code is not. What the event holds is erased once nothing
-- of it can be sent again.
create or replace function delivery_end(
  delivery uuid, fence uuid, outcome text, why text, provider text
) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare happened uuid; d notification_deliveries;
begin
  -- two deliveries of one event may end at the same moment: the later one sees that it is the last
  select e.id into happened from notification_deliveries q
    join notifications n on n.id = q.notification_id join events e on e.id = n.event_id
    where q.id = delivery for update of e;
  update notification_deliveries q
    set status = outcome, reason = why, provider_id = provider, finished_at = bank_now()
    where q.id = delivery and q.claim = fence and q.status = 'queued' returning * into d;
  if not found then return false; end if;
  if outcome <> 'sent' then perform delivery_fall_over(d); end if;
  perform event_erase(happened);
  return true;
end $$;
grant execute on function delivery_end to teller_app;

-- Lets a delivery be tried again after so many seconds, because the recipient does not have it. Returns
-- whether the claim held. What a mandatory type cannot say within a quarter of an hour is said on the next
-- channel as well, while this one is tried further.
create or replace function delivery_put_off(delivery uuid, fence uuid, seconds integer, why text)
returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare d notification_deliveries;
begin
  update notification_deliveries q
    set begun_at = null, claim = null, claimed_until = null, reason = why,
        due_at = bank_now() + make_interval(secs => seconds)
    where q.id = delivery and q.claim = fence and q.status = 'queued' returning * into d;
  if not found then return false; end if;
  if d.created_at <= bank_now() - interval '15 minutes' then perform delivery_fall_over(d); end if;
  return true;
end $$;
grant execute on function delivery_put_off to teller_app;

-- Shows a notification in the feed at the next place, which ends its delivery there. Returns whether it did.
create or replace function delivery_show(
  delivery uuid, fence uuid, shown_title text, shown_body text, shown_link text
) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare n notifications; place bigint;
begin
  if not delivery_end(delivery, fence, 'sent', null, null) then return false; end if;
  select x.* into n from notification_deliveries q join notifications x on x.id = q.notification_id
    where q.id = delivery;
  -- under the lock of this row, so that whoever has read one place has read all before it
  insert into notification_counts as c (user_id, shown) values (n.user_id, 1)
    on conflict (user_id) do update set shown = c.shown + 1 returning shown into place;
  update notifications x set title = shown_title, body = shown_body, link = shown_link, shown_at = bank_now(),
    position = place where x.id = n.id;
  return true;
end $$;
grant execute on function delivery_show to teller_app;

-- Ends deliveries whose worker has died after it had begun: the recipient may have them, so nobody sends them
-- again. Returns how many. Whether a worker lives is a matter of the machine's clock.
create or replace function deliveries_lost(wanted text[]) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare lost bigint := 0; d record;
begin
  for d in select q.id, q.claim from notification_deliveries q where q.status = 'queued'
      and q.lane = any (wanted) and q.begun_at is not null and q.claimed_until <= machine_now() loop
    if delivery_end(d.id, d.claim, 'unknown', 'worker_lost', null) then lost := lost + 1; end if;
  end loop;
  return lost;
end $$;
grant execute on function deliveries_lost to teller_app;

-- Keeps how many notifications of the feed somebody has not read, and how many came since they have looked.
-- Whoever follows a feed hears of it: 'teller_notifications' names the person.
create or replace function count_unread() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into notification_counts (user_id)
    select distinct n.user_id from changed n where n.shown_at is not null on conflict do nothing;
  -- locked first, so that the next statement knows how far each of them has looked
  perform from notification_counts c where c.user_id in (select user_id from changed)
    order by c.user_id for update;
  update notification_counts c set unread = c.unread + d.unread, unseen = c.unseen + d.unseen
    from (select n.user_id, sum(m.change) as unread,
            coalesce(sum(m.change) filter (where n.position > k.seen), 0) as unseen
        from changed n join previous o on o.id = n.id
          join notification_counts k on k.user_id = n.user_id
          cross join lateral (select (n.shown_at is not null and n.read_at is null)::int
            - (o.shown_at is not null and o.read_at is null)::int as change) m
        group by n.user_id) d
    where c.user_id = d.user_id and (d.unread, d.unseen) <> (0, 0);
  perform pg_notify('teller_notifications', u.user_id::text) from (
    select distinct n.user_id from changed n join previous o on o.id = n.id
      where (n.shown_at, n.read_at) is distinct from (o.shown_at, o.read_at)) u;
  return null;
end $$;

-- Notes that somebody has looked at their feed. Returns how many they had not seen before.
create or replace function feed_seen(person uuid) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare fresh bigint;
begin
  update notification_counts set seen = shown, unseen = 0
    where user_id = person and seen < shown returning old.unseen into fresh;
  if not found then return 0; end if;
  perform pg_notify('teller_notifications', person::text);
  return fresh;
end $$;
grant execute on function feed_seen to teller_app;

create or replace trigger notifications_counted after update on notifications
  referencing old table as previous new table as changed
  for each statement execute function count_unread();
-- a mail that was sent may still come back, and a feed that was not wanted may be all that is left
create or replace trigger notification_deliveries_end_stands before update on notification_deliveries
  for each row when (old.status <> 'queued' and not (old.status = 'sent' and old.channel = 'email'
      and (new.status = 'failed' or (new.status = 'queued' and new.reason = 'soft_bounce')))
    and not (old.channel = 'in_app' and old.reason = 'preference' and new.status = 'queued'))
  execute function refuse_after_end();
-- evidence of thirteen months; what an address is suppressed for is kept by its foreign key
create or replace trigger notification_deliveries_kept before delete on notification_deliveries
  for each row when (old.status = 'queued' or old.id >= uuidv7(interval '-13 months'))
  execute function refuse_change();
create or replace trigger notifications_never_deleted before delete on notifications
  for each row execute function refuse_change();
create or replace trigger events_never_deleted before delete on events
  for each row execute function refuse_change();

-- Refuses to switch a mandatory type off.
create or replace function check_mandatory_type() returns trigger language plpgsql as $$
begin
  raise exception 'the notification type % is mandatory', old.code using errcode = 'restrict_violation';
end $$;

create or replace trigger notification_types_mandatory before update on notification_types
  for each row when (old.mandatory and old.enabled and not (new.enabled and new.mandatory))
  execute function check_mandatory_type();

-- Refuses channels that show a secret to whoever looks on.
create or replace function check_secret_type() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tells_secret(new.lane, new.variables) and new.channels_allowed && array['in_app', 'push'] then
    raise exception 'the notification type % tells a secret, by mail or text message only', new.code
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger notification_types_secret before insert or update on notification_types
  for each row execute function check_secret_type();
create or replace trigger notification_types_author before insert or update on notification_types
  for each statement execute function require_author('notifications:write');

-- Gives a template that says something else the next version. Refuses to take the last live one of a channel
-- from a mandatory type that is switched on.
create or replace function next_template_version() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if old.status = 'live' and new.status <> 'live' then
    -- two administrators may retire the last two at once
    perform from notification_types t where t.code = old.type_code and t.mandatory and t.enabled for update;
    if found and not exists (select from notification_templates o where o.type_code = old.type_code
        and o.channel = old.channel and o.status = 'live' and o.id <> old.id) then
      raise exception 'the last template of a mandatory type stays' using errcode = 'restrict_violation';
    end if;
  end if;
  new.version := old.version + 1;
  new.updated_at := bank_now();
  return new;
end $$;

create or replace trigger notification_templates_version
  before update of subject, body, status on notification_templates
  for each row execute function next_template_version();

-- Keeps what a template says as one of its versions.
create or replace function keep_template_version() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into notification_template_versions
      (template_id, version, subject, body, status, created_by, created_at)
    values (new.id, new.version, new.subject, new.body, new.status, new.updated_by, bank_now());
  return null;
end $$;

create or replace trigger notification_templates_kept after insert or update of subject, body, status
  on notification_templates for each row execute function keep_template_version();
create or replace trigger notification_templates_author
  before insert or update of subject, body, status, updated_by on notification_templates
  for each row execute function require_author('notifications:write', 'updated_by');
create or replace trigger notification_template_versions_append_only
  before update or delete on notification_template_versions
  for each row execute function refuse_change();
