-- How transfers were decided on in the release before; drop this file with the one after.
-- transfer_carry_out takes its place.

-- Executes, rejects, cancels, expires or goes on with an open transfer, without a row of the decision.
create or replace function transfer_decide(
  t_id uuid, decision text, decider uuid, decider_reason text, request_id uuid, rail_code text,
  out status text, out refusal text, out changed boolean, out wait_seconds int, out was text
) language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if decision in ('execute', 'reject', 'cancel') then
    select transfer_decider_fault(t, decision, decider) into refusal from transfers t where t.id = t_id;
    if refusal is not null then
      changed := false;
      return;
    end if;
  end if;
  select m.status, m.refusal, m.changed, m.wait_seconds, m.was
    into status, refusal, changed, wait_seconds, was
    from transfer_move(t_id, decision, decider, decider_reason, request_id, rail_code) m;
end $$;
grant execute on function transfer_decide to teller_app;
