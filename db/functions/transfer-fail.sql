-- How a transfer ends whose next step can never be carried out.

-- Fails a transfer that is not booked yet, and releases its hold. It does no more than that, so that whatever
-- made the step fail is not met again. Once a transfer is booked, its money is on the way, and only the
-- rail's word or a return ends it: the refusal 'transfer_not_pending' says that nothing was done. A repeat is
-- answered as the first was.
create or replace function transfer_fail(
  t_id uuid, out status text, out refusal text, out changed boolean, out was text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare t transfers;
begin
  changed := false;
  select * into t from transfers x where x.id = t_id;
  if t.id is null then
    refusal := 'not_found';
    return;
  end if;
  perform 1 from accounts a where a.id = t.source_account_id for no key update;
  select * into t from transfers x where x.id = t_id for update;
  status := t.status;
  if t.status = 'failed' then
    return;
  end if;
  if not transfer_is_held(t.status) then
    refusal := 'transfer_not_pending';
    return;
  end if;
  if t.hold_id is not null then perform hold_release(t.hold_id); end if;
  if t.kind = 'transfer' then
    perform transfer_limit_give_back(t);
    perform aml_movement_ended(t.id);
  end if;
  update transfers x set status = 'failed', failure_code = 'internal_error', finished_at = bank_now()
    where x.id = t.id;
  was := t.status;
  status := 'failed';
  changed := true;
end $$;
grant execute on function transfer_fail to teller_app;
