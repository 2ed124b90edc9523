-- How changes that wait for a second administrator end. Nothing else ends them.

-- Ends a change, or returns why it may not end so. The caller has done, in this transaction, what an applied
-- change asks for; applied, stale and failed are what becomes of an approval. Whoever approves holds the
-- operation's own permission, is not the maker and gains nothing by it, and is independent of the maker; the
-- maker withdraws, and `decider` is null if time is over. The row stays locked until the transaction ends.
create or replace function change_end(
  change_id uuid, wanted text, decider uuid, reason text, why text, out refusal text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare c pending_changes;
begin
  refusal := change_refusal(change_id, wanted, decider);
  if refusal is not null then return; end if;
  update pending_changes set status = wanted, decided_by = decider, decided_at = bank_now(),
      decision_reason = reason, failure = why
    where id = change_id returning * into c;
  if c.status = 'applied' and c.resource_type = 'user'
     and c.permission in ('permissions:write', 'users:write') then
    perform countersign_empowerments(c.resource_id::uuid, decider);
  end if;
end $$;
grant execute on function change_end to teller_app;

-- Returns why a change may not end so, null if it may, and locks it until the transaction ends.
create or replace function change_refusal(
  change_id uuid, wanted text, decider uuid, out refusal text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare c pending_changes;
begin
  select * into c from pending_changes x where x.id = change_id for update;
  refusal := case
    when c.id is null then 'not_found'
    when c.status <> 'open' then 'already_decided'
    when wanted = 'expired' and decider is null
      then case when c.expires_at > bank_now() then 'conflict' end
    when wanted = 'withdrawn' then case when decider is distinct from c.requested_by then 'forbidden' end
    when missing_action(decider, array[c.permission]) is not null then 'forbidden'
    when decider = c.requested_by or decider is not distinct from c.concerns then 'same_person'
    when wanted = 'rejected' then null
    when not independent_of(decider, c.requested_by) then 'same_person'
    when c.expires_at <= bank_now() then 'already_decided' end;
end $$;
grant execute on function change_refusal to teller_app;

-- Refuses what rewrites a change, reopens it, or lets somebody approve it who depends on its maker.
create or replace function check_pending_change() returns trigger language plpgsql as $$
begin
  if old.status <> 'open'
     or (new.id, new.operation, new.permission, new.resource_type, new.resource_id, new.etag, new.request,
         new.request_mac, new.before, new.after, new.concerns, new.requested_by, new.created_at,
         new.expires_at)
        is distinct from
        (old.id, old.operation, old.permission, old.resource_type, old.resource_id, old.etag, old.request,
         old.request_mac, old.before, old.after, old.concerns, old.requested_by, old.created_at,
         old.expires_at) then
    raise exception 'a pending change is never rewritten' using errcode = 'restrict_violation';
  end if;
  if new.status = 'applied' and not independent_of(new.decided_by, new.requested_by) then
    raise exception 'whoever approves a change must be independent of its maker'
      using errcode = 'restrict_violation', constraint = 'pending_changes_independent';
  end if;
  return new;
end $$;

create or replace trigger pending_changes_change before update on pending_changes
  for each row execute function check_pending_change();
create or replace trigger pending_changes_never_deleted before delete on pending_changes
  for each row execute function refuse_change();
create or replace trigger pending_changes_no_truncate before truncate on pending_changes
  for each statement execute function refuse_change();
