-- Announcements: one notification for each of many people, in pages, each person once.

-- Tells a page of people, of whom `last` is the last; `people` are [{id, event, locale, content}] in order
-- of their ids, with the sealed content of each event in hexadecimal. Whoever was told before is not told
-- again, so a page may be repeated. Returns whether the announcement goes on.
create or replace function announcement_tell(announcement uuid, people jsonb, last uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare a announcements; told_now bigint;
begin
  select * into a from announcements x where x.id = announcement for update;
  if not found or a.status <> 'sending' then return false; end if;
  select count(*) into told_now from (
    select event_write(p.event, a.type_code, p.id, p.locale, decode(p.content, 'hex'), null, null) as written
      from jsonb_to_recordset(people) p(id uuid, event uuid, locale text, content text)) w where w.written;
  update events e set announcement_id = announcement
    from jsonb_to_recordset(people) p(event uuid) where e.id = p.event and e.announcement_id is null;
  update announcements x set told = x.told + told_now, active_at = bank_now(),
      last_told = greatest(x.last_told, last)
    where x.id = announcement;
  return true;
end $$;
grant execute on function announcement_tell to teller_app;

-- Ends an announcement as sent once nothing of it waits, or as stopped. Returns the status that it has then.
create or replace function announcement_end(announcement uuid, wanted text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare a announcements;
begin
  select * into a from announcements x where x.id = announcement for update;
  if not found or a.status <> 'sending' then return a.status; end if;
  if wanted = 'sent' and exists (select from events e join notifications n on n.event_id = e.id
      join notification_deliveries d on d.notification_id = n.id
      where e.announcement_id = announcement and d.status = 'queued') then
    update announcements x set active_at = bank_now() where x.id = announcement;
    return 'sending';
  end if;
  update announcements x set status = wanted, finished_at = bank_now(), active_at = bank_now(),
      sealed_values = null
    where x.id = announcement;
  return wanted;
end $$;
grant execute on function announcement_end to teller_app;

create or replace trigger announcements_end_stands before update on announcements
  for each row when (old.status <> 'sending') execute function refuse_after_end();
create or replace trigger announcements_never_deleted before delete on announcements
  for each row execute function refuse_change();
create or replace trigger announcements_author before insert on announcements
  for each row execute function require_author('notifications:send', 'created_by');

-- Counts a text message of so many parts before it is sent. Returns why it must not be sent: its number, or
-- the bank, has used up what it may on this day. What is no code leaves a fifth of the bank's share to codes.
create or replace function sms_take(
  recipient text, parts integer, is_code boolean, most_of_person integer, most_of_bank integer
) returns text language plpgsql security definer set search_path = public, pg_temp as $$
declare today date := bank_day(bank_now()); used integer;
  whose text := encode(address_hash(recipient), 'hex');
begin
  insert into sms_uses as u (day, spender, segments) values (today, whose, parts)
    on conflict (day, spender) do update set segments = u.segments + parts
      where u.segments + parts <= most_of_person
    returning segments into used;
  if used is null or used > most_of_person then return 'sms_cap_of_person'; end if;
  used := null;
  insert into sms_uses as u (day, spender, segments) values (today, 'bank', parts)
    on conflict (day, spender) do update set segments = u.segments + parts
      where u.segments + parts <= case when is_code then most_of_bank else most_of_bank * 4 / 5 end
    returning segments into used;
  if used is null then return 'sms_cap_of_bank'; end if;
  return null;
end $$;
grant execute on function sms_take to teller_app;
