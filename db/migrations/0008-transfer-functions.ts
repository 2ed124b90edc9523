import { Migration } from '@mikro-orm/migrations';

/** How transfers begin and end: row, hold and posting in one transaction and one round trip. */
export class TransferFunctions extends Migration {
  override up(): void {
    this.addSql(postTransfer);
    this.addSql(transferOpen);
    this.addSql(transfersOpen);
    this.addSql(transferDecide);
  }
}

/** Books a transfer's amount; answers the ledger transaction, or the code of the refusal. */
const postTransfer = `
  create function post_transfer(t_id uuid, t_kind text, source uuid, destination uuid, asset text, amount numeric, description text,
                                out transaction_id uuid, out refusal text)
  language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
  declare verdict text;
  begin
    transaction_id := uuidv7();
    select p.verdict into verdict from ledger_post(jsonb_build_array(jsonb_build_object(
      'id', transaction_id, 'kind', t_kind, 'source_type', 'transfer', 'source_id', t_id, 'description', description,
      'entries', jsonb_build_array(
        jsonb_build_object('account', source, 'asset', asset, 'amount', (-amount)::text),
        jsonb_build_object('account', destination, 'asset', asset, 'amount', amount::text))))) p;
    if verdict <> 'posted' then
      transaction_id := null;
      refusal := verdict;
    end if;
  end $$;
  revoke execute on function post_transfer from public;
`;

/**
 * order: { id, kind, type?, requested_by, customer, source?, destination?, asset, amount, description, reason?, quote?, approval_seconds? };
 * an adjustment leaves out the side that is the bank's. Answers the transfer's status ('executed' or 'pending_approval'; for a
 * repeat whatever it has become) and how long it waits for its approval, or a refusal. A refusal is also written beside the request's idempotency key in the same
 * transaction, so that the key stays refused for ever, whoever crashes. Its accounts are locked by transfers_open.
 */
const transferOpen = `
  create function transfer_open(wanted jsonb, out status text, out refusal text, out approval_seconds int)
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
  declare
    o record; offered record; quoted transfer_quotes; payer accounts; payee accounts; approval boolean; until timestamptz;
    new_hold uuid; transaction uuid; payer_id uuid; payee_id uuid;
  begin
    select * into o from jsonb_to_record(wanted) as x(id uuid, kind text, type text, requested_by uuid, customer uuid, source uuid,
      destination uuid, asset text, amount numeric, description text, reason text, quote uuid, approval_seconds int);
    payer_id := coalesce(o.source, house_account('adjustments', o.asset, o.id));
    payee_id := coalesce(o.destination, house_account('adjustments', o.asset, o.id));

    select t.status, ceil(extract(epoch from t.approve_until - clock_timestamp()))::int into status, approval_seconds from transfers t where t.id = o.id;
    if found then return; end if;
    select k.refusal->>'code' into refusal from idempotency_keys k where k.resource_id = o.id and k.refusal is not null;
    if found then return; end if;

    select * into payer from accounts where id = payer_id;
    select * into payee from accounts where id = payee_id;
    select c.approval_above, t.approval_seconds as seconds into offered from transfer_types t
      join transfer_type_currencies c on c.type_code = t.code and c.asset = o.asset where t.code = o.type and t.enabled;
    approval := o.kind = 'adjustment' or o.amount > offered.approval_above;
    refusal := case
      when payer.id is null or payee.id is null then 'not_found'
      when payer.id = payee.id then 'same_account'
      when o.kind = 'transfer' and offered.approval_above is null then 'transfer_type_unavailable'
      when payer.asset <> o.asset or payee.asset <> o.asset then 'currency_mismatch' end;

    if refusal is null and o.quote is not null then
      select * into quoted from transfer_quotes q where q.id = o.quote for update;
      if quoted.transfer_id is not null or quoted.expires_at <= clock_timestamp()
         or (quoted.requested_by, quoted.type_code, quoted.source_account_id, quoted.destination_account_id, quoted.asset, quoted.amount::numeric)
            is distinct from (o.requested_by, o.type, payer.id, payee.id, o.asset, o.amount) then
        refusal := 'quote_unusable';
      else
        -- what was quoted is what happens, also where the threshold has changed since
        approval := quoted.requires_approval;
      end if;
    end if;

    if refusal is null and approval then
      refusal := case
        when payer.status = 'closed' or payee.status = 'closed' then 'account_closed'
        when payer.status in ('blocked', 'frozen') or payee.status = 'frozen' then 'account_blocked'
        when payer.kind = 'customer' and payer.posted - payer.held + payer.overdraft_limit < o.amount then 'insufficient_funds' end;
      if refusal is null and payer.kind = 'customer' then
        update accounts set held = held + o.amount where id = payer.id;
        insert into holds (account_id, amount, source_type, source_id) values (payer.id, o.amount, 'transfer', o.id) returning id into new_hold;
      end if;
    elsif refusal is null then
      select p.transaction_id, p.refusal into transaction, refusal from post_transfer(o.id, o.kind, payer.id, payee.id, o.asset, o.amount, o.description) p;
    end if;

    if refusal is not null then
      update idempotency_keys k set refusal = jsonb_build_object('code', transfer_open.refusal) where k.resource_id = o.id;
      return;
    end if;

    status := case when approval then 'pending_approval' else 'executed' end;
    if approval then
      approval_seconds := coalesce(o.approval_seconds, offered.seconds);
      until := clock_timestamp() + make_interval(secs => approval_seconds);
    end if;
    insert into transfers (id, kind, type_code, status, requested_by, customer_id, source_account_id, destination_account_id, asset, amount,
                           description, reason, quote_id, requires_approval, hold_id, transaction_id, approve_until, finished_at)
      values (o.id, o.kind, o.type, status, o.requested_by, o.customer, payer.id, payee.id, o.asset, o.amount,
              o.description, o.reason, o.quote, approval, new_hold, transaction, until,
              case when approval then null else clock_timestamp() end);
    update transfer_quotes set transfer_id = o.id where id = o.quote;
  end $$;
  revoke execute on function transfer_open from public;
`;

/** Several orders in one transaction: all locks first and in id order, then one after the other. Answers a row per order in order. */
const transfersOpen = `
  create function transfers_open(orders jsonb) returns table (ord int, status text, refusal text, approval_seconds int)
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
  declare item record;
  begin
    perform 1 from accounts where id = any (array(
      select coalesce((o->>side)::uuid, house_account('adjustments', o->>'asset', (o->>'id')::uuid))
        from jsonb_array_elements(orders) o, unnest(array['source', 'destination']) side)) order by id for no key update;
    for item in select n::int as n, o from jsonb_array_elements(orders) with ordinality x(o, n) order by n loop
      ord := item.n;
      select t.status, t.refusal, t.approval_seconds into status, refusal, approval_seconds from transfer_open(item.o) t;
      return next;
    end loop;
  end $$;
  revoke execute on function transfers_open from public;
  grant execute on function transfers_open to teller_app;
`;

/**
 * decision: 'execute' | 'reject' | 'cancel' | 'expire'. The first one wins; a repeat of the same by the same person answers as the
 * first did. An execution that the books refuse ends the transfer as failed, with the hold released.
 */
const transferDecide = `
  create function transfer_decide(t_id uuid, decision text, decider uuid, decider_reason text, out status text, out refusal text, out changed boolean)
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
    if decision = 'execute' and (decider = t.requested_by or decider = t.customer_id) then
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
      decision_reason = decider_reason, finished_at = clock_timestamp() where x.id = t.id;
    status := aim;
    changed := true;
  end $$;
  revoke execute on function transfer_decide from public;
  grant execute on function transfer_decide to teller_app;
`;
