-- The inbox of the custodian's webhooks. Only this function adds to it.

-- Keeps an event once, whoever repeats it how often. One that has no usable id, or the id of an event with
-- another body, is known by the SHA-256 of its body. What is told of a transaction waits to be processed,
-- what has a fault is put aside, everything else is evidence only. Returns the row, and whether it is new.
create or replace function custody_event_keep(
  custody_id text, event_type text, about text, content bytea, flaw text, out event uuid, out is_new boolean
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  hash text := encode(sha256(content), 'hex');
  name text := coalesce(custody_id, hash);
  same boolean;
begin
  loop
    insert into custody_events (event_key, type, resource, body, status, fault)
      values (name, event_type, about, content,
              case when flaw is not null then 'aside'
                   when starts_with(event_type, 'transaction.') then 'waiting' else 'done' end, flaw)
      on conflict (event_key) do nothing
      returning id into event;
    is_new := found;
    exit when is_new;
    select e.id, e.body = content into strict event, same from custody_events e where e.event_key = name;
    exit when same or name = hash;
    name := hash;
  end loop;
end $$;

grant execute on function custody_event_keep to teller_app;

-- What has come stands, for the owner of the tables too; only what became of it is written later.
create or replace trigger custody_events_never_deleted before delete on custody_events
  for each row execute function refuse_change();
create or replace trigger custody_events_no_truncate before truncate on custody_events
  for each statement execute function refuse_change();
create or replace trigger custody_events_stand before update on custody_events
  for each row when (
    (old.id, old.event_key, old.type, old.resource, old.body, old.received_at)
      is distinct from (new.id, new.event_key, new.type, new.resource, new.body, new.received_at))
  execute function refuse_change();
create or replace trigger custody_events_end_stands before update on custody_events
  for each row when (old.status = 'done') execute function refuse_after_end();
