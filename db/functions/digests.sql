-- Mails that wait for the same digest go together, however many workers have claimed some of them.

-- Takes all mails of a person that wait for a digest which is due, for the worker that has claimed one of
-- them. Returns their ids in the order of their events; none if that claim is lost. The word of whoever had
-- claimed another one counts for nothing from then on.
create or replace function digest_gather(delivery uuid, fence uuid, lease_seconds integer)
returns setof uuid language plpgsql security definer set search_path = public, pg_temp as $$
declare reader uuid;
begin
  select n.user_id into reader from notification_deliveries d
    join notifications n on n.id = d.notification_id where d.id = delivery;
  -- two who gather for one person wait for each other, so neither holds what the other wants
  perform pg_advisory_xact_lock(hashtextextended('digest ' || reader, 7303));
  perform from notification_deliveries d
    where d.id = delivery and d.claim = fence and d.status = 'queued' and d.begun_at is null;
  if not found then return; end if;
  return query
    with gathered as (
      update notification_deliveries d
        set claim = fence, claimed_until = machine_now() + make_interval(secs => lease_seconds)
        from notifications n
        where n.user_id = reader and d.notification_id = n.id and d.status = 'queued'
          and d.digest_at is not null and d.begun_at is null and d.due_at <= bank_now()
        returning d.id, n.id as notice)
    select g.id from gathered g order by g.notice;
end $$;
grant execute on function digest_gather to teller_app;
