import { Migration } from '@mikro-orm/migrations';

/** Whose decision it is: the request that took it is kept beside it, and a payee does not approve what they are paid. */
export class Decisions extends Migration {
  override up(): void {
    this.addSql(`
      -- id reserved for the request that decided: its repeat, after a lost answer, is told apart from somebody's second thought
      alter table transfers add column decision_id uuid;
    `);
    this.addSql(transferDecide);
  }
}

/**
 * decision: 'execute' | 'reject' | 'cancel' | 'expire'. The first one wins; a repeat of the same by the same person answers as the
 * first did. An execution that the books refuse ends the transfer as failed, with the hold released.
 */
const transferDecide = `
  drop function transfer_decide(uuid, text, uuid, text);
  create function transfer_decide(t_id uuid, decision text, decider uuid, decider_reason text, request_id uuid default null,
                                  out status text, out refusal text, out changed boolean)
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
  declare
    t transfers; transaction uuid; failure text; aim text := (array['executed', 'rejected', 'cancelled', 'expired'])[array_position(array['execute', 'reject', 'cancel', 'expire'], decision)];
  begin
    changed := false;
    if aim is null then raise exception 'no such decision'; end if;
    perform 1 from accounts a where a.id in (select unnest(array[x.source_account_id, x.destination_account_id]) from transfers x where x.id = t_id)
      order by a.id for no key update;
    select * into t from transfers x where x.id = t_id for update;
    if t.id is null then
      refusal := 'not_found';
      return;
    end if;
    status := t.status;
    if t.status <> 'pending_approval' then
      if not (t.decided_by is not distinct from decider and (t.status = aim or (t.status = 'failed' and decision = 'execute'))) then
        refusal := 'transfer_not_pending';
      end if;
      return;
    end if;
    if decision = 'execute' and (decider = t.requested_by or decider = t.customer_id
       or exists (select from accounts a where a.id = t.destination_account_id and a.owner_id = decider)) then
      refusal := 'same_person';
      return;
    end if;

    if t.hold_id is not null then
      update accounts set held = held - t.amount where id = t.source_account_id;
    end if;
    if decision = 'execute' then
      select p.transaction_id, p.refusal into transaction, failure
        from post_transfer(t.id, t.kind, t.source_account_id, t.destination_account_id, t.asset, t.amount, t.description) p;
      if failure is not null then aim := 'failed'; end if;
    end if;
    update holds set status = case when aim = 'executed' then 'captured' else 'released' end, resolved_at = clock_timestamp() where id = t.hold_id;
    update transfers x set status = aim, transaction_id = transaction, failure_code = failure, decided_by = decider,
      decision_reason = decider_reason, decision_id = request_id, finished_at = clock_timestamp() where x.id = t.id;
    status := aim;
    changed := true;
  end $$;
  revoke execute on function transfer_decide from public;
  grant execute on function transfer_decide to teller_app;
`;
