-- Trying a rule out, by the code that judges payments.

-- Returns what a rule finds in given events: [{ index, outcome, flag, explanation }]. The events become
-- movements of customers that nobody has, and are taken back.
create or replace function aml_try(rule jsonb, base text, rates jsonb, customer jsonb, events jsonb)
returns jsonb
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  run uuid := uuidv7(); m aml_movements; event record; is_found boolean; is_met boolean; hits jsonb := '[]';
  flags jsonb := '{}'; flag int; latest int := 0;
  query text := aml_query(jsonb_build_array(rule || jsonb_build_object('rule', run, 'version', 1)));
begin
  begin
    for event in
      select e, n - 1 as place from jsonb_array_elements(events) with ordinality x(e, n)
        where coalesce(e->>'fee', '') <> 'true' order by (e->>'at')::timestamptz, n
    loop
      m := aml_event(event.e, run, base, rates, customer);
      execute 'select true, q.outcome from (' || query || ') q' into is_found, is_met using m;
      if is_found then
        flag := (flags->(m.customer_id::text)->>'flag')::int;
        if flag is null or rule->>'cooldown' is null or (flags->(m.customer_id::text)->>'at')::timestamptz
             <= m.at - (rule->>'cooldown')::interval then
          latest := latest + 1;
          flag := latest;
        end if;
        flags := flags || jsonb_build_object(m.customer_id, jsonb_build_object('flag', flag, 'at', m.at));
        hits := hits || jsonb_build_object('index', event.place, 'flag', flag,
          'outcome', case when is_met then 'hit' else 'not_checked' end,
          'explanation', aml_explanation(rule->>'code', 1, rule->'condition', m));
      end if;
      insert into aml_movements select (m).*;
    end loop;
    raise exception 'taken back' using errcode = 'TE001';
  exception when sqlstate 'TE001' then null;
  end;
  return hits;
end $$;
grant execute on function aml_try to teller_app;

-- Returns an event of a trial as a movement.
create or replace function aml_event(event jsonb, run uuid, base text, rates jsonb, customer jsonb)
returns aml_movements
language plpgsql set search_path = public, pg_temp as $$
declare m aml_movements;
begin
  m.kind := event->>'kind';
  m.direction := case when m.kind in ('incoming_transfer', 'crypto_deposit')
    then 'incoming' else 'outgoing' end;
  m.subject_type := 'event';
  m.subject_id := uuidv7();
  m.customer_id := name_uuid(run || '/' || coalesce(event->>'customer', ''));
  m.at := (event->>'at')::timestamptz;
  m.asset := event->'amount'->>'currency';
  m.amount := (event->'amount'->>'amount')::numeric;
  m.amount_base := case when m.asset = base then m.amount
    when rates ? (m.asset || '/' || base) then m.amount * (rates->>(m.asset || '/' || base))::numeric
    else round(m.amount, 60) / (rates->>(base || '/' || m.asset))::numeric end;
  m.transfer_type := event->>'transfer_type';
  m.counterparty := event->>'counterparty';
  m.counterparty_country := event->>'country';
  m.account_opened_at := (customer->>'opened_at')::timestamptz;
  m.contact_changed_at := (customer->>'contact_changed_at')::timestamptz;
  m.kyc_status := coalesce(customer->>'kyc_status', 'none');
  m.customer_risk := coalesce(customer->>'risk', 'medium');
  m.ended_at := case when transfer_is_unspent(event->'ended'->>'status')
    then (event->'ended'->>'at')::timestamptz end;
  select h.at into m.counterparty_first_at from aml_movements h
    where h.customer_id = m.customer_id and h.counterparty = m.counterparty order by h.seq limit 1;
  return aml_after_last(m);
end $$;

-- Returns how many movements of one customer a condition would read at most, as things are: those of the
-- longest window that no counter answers.
create or replace function aml_estimate(condition jsonb) returns bigint
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce((select max(c.many) from (
    select count(*) as many from aml_movements h, (
        select max(aml_window(a)) as seconds from jsonb_array_elements(aml_aggregates(condition)) a
          where not aml_is_counted(a)) w
      where h.at > (select bank_now()) - make_interval(secs => w.seconds)
      group by h.customer_id) c), 0)
$$;
grant execute on function aml_estimate to teller_app;
