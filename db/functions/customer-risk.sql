-- How great the risk is that a customer launders money. Factors are true of a customer or not; their points
-- make the rating, which is at least what a factor asks for.

-- Returns 1, 2 or 3 for a low, medium or high risk.
create or replace function risk_rank(level text) returns int
language sql immutable as $$ select array_position('{low,medium,high}'::text[], level) $$;

-- Returns the risk in force by a row: that of an override that has not ended, or what the factors come to,
-- but never less than the law asks for.
create or replace function risk_in_force(r customer_risks) returns text
language sql stable set search_path = public, pg_temp as $$
  select (array['low', 'medium', 'high'])[greatest(risk_rank(r.least_by_law), risk_rank(
    case when r.override_until > bank_now() then r.override else r.rated end))]
$$;
grant execute on function risk_in_force, risk_rank to teller_app;

-- Returns the risk of a customer; a customer of whom nothing is known is a medium risk.
create or replace function customer_risk(customer uuid) returns text
language sql stable set search_path = public, pg_temp as $$
  select coalesce((select risk_in_force(r) from customer_risks r where r.customer_id = customer), 'medium')
$$;
grant execute on function customer_risk to teller_app;

-- Returns the forms by which a customer is known, with their kinds: of applications that are open, approved,
-- or were approved last, and of the people of their company.
create or replace function risk_forms(customer uuid) returns table (kind text, form jsonb)
language sql stable set search_path = public, pg_temp as $$
  with own as (
    select a.kind, a.form from kyc_applications a where a.user_id = customer and a.kyb_application_id is null
      and (a.ended_at is null or a.status = 'approved'
        or a.status = 'expired' and a.renewal_reason is not null and not exists (
          select from kyc_applications n where (n.user_id, n.kind) = (customer, a.kind)
            and n.kyb_application_id is null and n.decided_at > a.decided_at
            and (n.decision = 'approve' or n.final)))
  )
  select * from own
  union all
  select 'kyc', p.value from own a cross join lateral jsonb_array_elements(a.form->'persons') p
    where a.kind = 'kyb'
$$;

-- Returns the countries that a form of a kind names.
create or replace function risk_countries(kind text, form jsonb) returns setof text
language sql immutable set search_path = public, pg_temp as $$
  select c #>> '{}' from jsonb_path_query(form, '$.address.country') c
  union
  select c #>> '{}' from jsonb_path_query(form, '$.nationalities[*]') c where kind = 'kyc'
  union
  select c #>> '{}' from jsonb_path_query(form, '$.tax_residencies[*].country') c where kind = 'kyc'
  union
  select c #>> '{}' from jsonb_path_query(form, '$.document.issuing_country') c where kind = 'kyc'
  union
  select c #>> '{}' from jsonb_path_query(form, '$.country') c where kind = 'kyb'
  union
  select c #>> '{}' from jsonb_path_query(form, '$.companies[*].country') c where kind = 'kyb'
$$;

-- Returns which factors are true because of one form, and what shows it.
create or replace function risk_of_form(kind text, form jsonb) returns table (code text, evidence text)
language sql stable set search_path = public, pg_temp as $$
  select 'politically_exposed', 'declared' where kind = 'kyc' and (form->>'pep_declared')::boolean
  union all
  select 'high_risk_country', c.country from bank_settings s, risk_countries(kind, form) c(country)
    where c.country = any (s.high_risk_countries)
  union all
  select k.code, form->>'industry_code' from risk_factors k where kind = 'kyb' and k.code = 'industry'
    and exists (select from unnest(k.entries) e(prefix)
      where starts_with(regexp_replace(form->>'industry_code', '[^0-9]', '', 'g'),
        regexp_replace(e.prefix, '[^0-9]', '', 'g')))
  union all
  select k.code, form->>'incorporated_on' from risk_factors k where kind = 'kyb' and k.code = 'new_company'
    and bank_day(bank_now()) - (form->>'incorporated_on')::date < k.threshold
  union all
  select 'owned_by_companies', jsonb_array_length(form->'companies')::text
    where kind = 'kyb' and jsonb_array_length(form->'companies') > 0
  union all
  select distinct 'owned_abroad', c.value->>'country' from jsonb_array_elements(form->'companies') c
    where kind = 'kyb' and c.value->>'country' <> form->>'country'
$$;

-- Returns whether a form is one of which the law asks that two people decide.
create or replace function risk_is_by_law(kind text, form jsonb) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select exists (select from risk_of_form(kind, form) f join risk_factors k using (code) where k.by_law)
$$;

-- Returns which factors are true of a customer by what they do, and what shows it.
create or replace function risk_of_behaviour(customer uuid) returns table (code text, evidence text)
language sql stable set search_path = public, pg_temp as $$
  with moved as (
    select coalesce(sum(m.amount_base) filter (where m.at > bank_now() - interval '30 days'), 0) as base,
        count(*) filter (where m.counterparty_country = any (b.high_risk_countries)) as risky,
        string_agg(distinct m.counterparty_country, ', ')
          filter (where m.counterparty_country = any (b.high_risk_countries)) as countries
      from aml_movements m, bank_settings b
      where m.customer_id = customer and m.ended_at is null and m.at > bank_now() - interval '90 days'
  )
  select k.code, round(m.base)::text || ' ' || s.base_asset from risk_factors k, moved m, fx_settings s
    where k.code = 'high_turnover' and m.base >= k.threshold
  union all
  select k.code, round(m.base)::text || ' ' || s.base_asset
    from risk_factors k, moved m, fx_settings s, risk_forms(customer) a,
      lateral (select a.form->'expected_monthly_volume') e(volume)
    where k.code = 'turnover_unexpected' and a.kind = 'kyb'
      and m.base > k.threshold * aml_converted((e.volume->>'amount')::numeric, e.volume->>'currency',
        s.base_asset, bank_now())
  union all
  select k.code, m.countries from risk_factors k, moved m
    where k.code = 'high_risk_payments' and m.risky >= k.threshold
  union all
  select k.code, count(*)::text from risk_factors k, aml_flags f
    where k.code = 'suspicions' and f.customer_id = customer and f.status not in ('cleared', 'false_positive')
      and f.created_at > bank_now() - interval '90 days'
    group by k.code, k.threshold having count(*) >= k.threshold
  union all
  select 'suspicion_confirmed', string_agg(f.number::text, ', ' order by f.number) from aml_flags f
    where f.customer_id = customer and f.status = 'confirmed'
    having count(*) > 0
$$;

-- Returns which factors are true of a customer, each once, and what shows it.
create or replace function risk_of_customer(customer uuid) returns table (code text, evidence text)
language sql stable set search_path = public, pg_temp as $$
  select f.code, string_agg(distinct f.evidence, ', ') from (
    select x.code, x.evidence from risk_forms(customer) a
      cross join lateral risk_of_form(a.kind, a.form) x
    union all
    select x.code, x.evidence from users u cross join lateral risk_of_form('kyc', jsonb_build_object(
        'address', jsonb_build_object('country', coalesce(u.address->>'country', u.country)))) x
      where u.id = customer
    union all
    select * from risk_of_behaviour(customer)
    union all
    select 'not_identified', u.kyc_status from users u where u.id = customer and not exists (
      select from kyc_applications a where a.user_id = customer and a.status = 'approved'
        and a.kyb_application_id is null)
    union all
    select 'suspected_forgery', a.kind from kyc_applications a
      where a.user_id = customer and a.decision = 'reject' and a.code = 'suspected_forgery'
    union all
    select k.code, t.code from risk_factors k, accounts a join account_types t on t.id = a.account_type_id
      where k.code = 'account_types' and a.owner_id = customer and a.status <> 'closed'
        and t.code = any (k.entries)) f
    group by f.code
$$;

-- Returns what an override leaves behind.
create or replace function risk_no_override() returns jsonb
language sql immutable as $$
  select '{"override": null, "override_reason": null, "override_until": null, "override_by": null}'::jsonb
$$;

-- Rates a customer by what is known now, and does what follows from another risk: two people decide open
-- applications of a high one, and approvals are renewed when it is due. Takes the lock of the customer first,
-- as whoever submits and decides does. 'said' is another override. Returns the risk in force.
create or replace function risk_assess(customer uuid, said jsonb default null) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare r customer_risks; before customer_risks; floor_rank int; moment timestamptz;
begin
  perform from users u where u.id = customer for no key update;
  insert into customer_risks (customer_id) values (customer) on conflict do nothing;
  select * into r from customer_risks x where x.customer_id = customer for no key update;
  before := r;
  moment := bank_now();
  select coalesce(jsonb_agg(jsonb_build_object('code', f.code, 'points', k.points, 'evidence', f.evidence)
        order by k.points desc, f.code), '[]'), coalesce(sum(k.points), 0),
      coalesce(max(risk_rank(k.at_least)), 1),
      case when coalesce(bool_or(k.by_law), false) then 'high' else 'low' end
    into r.factors, r.points, floor_rank, r.least_by_law
    from risk_of_customer(customer) f join risk_factors k on k.code = f.code and k.enabled;
  select (array['low', 'medium', 'high'])[greatest(floor_rank, case when r.points >= s.risk_points[2] then 3
      when r.points >= s.risk_points[1] then 2 else 1 end)]
    into r.rated from bank_settings s;
  if said is not null then
    r := jsonb_populate_record(r, said);
  elsif r.override_until <= bank_now() then
    r := jsonb_populate_record(r, risk_no_override());
  end if;
  r.level := risk_in_force(r);
  update customer_risks x set factors = r.factors, points = r.points, rated = r.rated,
      least_by_law = r.least_by_law, override = r.override, override_reason = r.override_reason,
      override_until = r.override_until, override_by = r.override_by, level = r.level,
      level_since = case when r.level = before.level then r.level_since else moment end,
      assessed_at = moment
    where x.customer_id = customer;
  if r.level <> before.level then
    update kyc_applications a set needs_second = true, updated_at = bank_now()
      where r.level = 'high' and a.user_id = customer and a.kyb_application_id is null
        and a.ended_at is null and not a.needs_second;
    perform kyc_reschedule(customer);
  end if;
  return r.level;
end $$;

-- Returns the next customers from beyond one of whom something has changed, whom nobody has looked at for a
-- day, who were assessed by other factors, or whose override has ended.
create or replace function risks_due(after_at timestamptz, after_id uuid, most bigint)
returns table (customer_id uuid, assessed_at timestamptz)
language sql stable set search_path = public, pg_temp as $$
  select d.* from (
    (select r.customer_id, r.assessed_at from customer_risks r
      where r.assessed_at < (select greatest(bank_now() - interval '1 day', max(k.updated_at))
          from risk_factors k)
        and (r.assessed_at, r.customer_id) > (after_at, after_id)
      order by r.assessed_at, r.customer_id limit most)
    union
    (select r.customer_id, r.assessed_at from customer_risks r where r.override_until <= bank_now()
        and (r.assessed_at, r.customer_id) > (after_at, after_id)
      order by r.assessed_at, r.customer_id limit most)) d(customer_id, assessed_at)
    order by 2, 1 limit most
$$;
grant execute on function risks_due to teller_app;

-- Rates a customer unless somebody is changing their applications; that rates them too, or the next round
-- does.
create or replace function risk_assess_idle(customer uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from users u where u.id = customer for no key update skip locked;
  if found then perform risk_assess(customer); end if;
end $$;
grant execute on function risk_assess_idle to teller_app;

-- Sets the risk of a customer for a while, or, if 'wanted' is null, lets the factors decide again. Returns
-- why not: same_person, or below_law.
create or replace function risk_override(
  customer uuid, actor uuid, wanted text, why text, until timestamptz
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform require_action(actor, 'compliance:review');
  if actor = customer then return 'same_person'; end if;
  perform from users u where u.id = customer for no key update;
  if wanted <> 'high' and exists (select from risk_of_customer(customer) f join risk_factors k
      on k.code = f.code where k.by_law) then
    return 'below_law';
  end if;
  perform risk_assess(customer, case when wanted is null then risk_no_override()
    else jsonb_build_object('override', wanted, 'override_reason', why, 'override_until', until,
      'override_by', actor) end);
  return null;
end $$;
grant execute on function risk_override to teller_app;

-- Weighs a factor otherwise. Null leaves what it was; an empty 'floor' takes it away. Returns why not:
-- by_law.
create or replace function risk_factor_set(
  factor text, actor uuid, weight int, floor text, number numeric, list text[], is_enabled boolean
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare k risk_factors;
begin
  perform require_action(actor, 'aml:write');
  select * into k from risk_factors x where x.code = factor for update;
  if k.by_law and (coalesce(floor, 'high') <> 'high' or not coalesce(is_enabled, true)) then
    return 'by_law';
  end if;
  update risk_factors x set points = coalesce(weight, x.points),
      at_least = case when floor is null then x.at_least else nullif(floor, '') end,
      threshold = coalesce(number, x.threshold), entries = coalesce(list, x.entries),
      enabled = coalesce(is_enabled, x.enabled), updated_by = actor, updated_at = bank_now()
    where x.code = factor;
  return null;
end $$;
grant execute on function risk_factor_set to teller_app;

-- Keeps how each risk came about. New evidence alone is no change: it differs every day.
create or replace function keep_risk_change() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if (new.level, new.rated, new.points, new.override, new.override_until, new.override_by,
      new.override_reason, jsonb_path_query_array(new.factors, '$[*].code'))
     is distinct from (old.level, old.rated, old.points, old.override, old.override_until, old.override_by,
      old.override_reason, jsonb_path_query_array(old.factors, '$[*].code')) then
    insert into customer_risk_changes (customer_id, level, rated, points, factors, override, override_reason,
        override_until, override_by)
      values (new.customer_id, new.level, new.rated, new.points, new.factors, new.override,
        new.override_reason, new.override_until, new.override_by);
  end if;
  return null;
end $$;
create or replace trigger customer_risks_kept after update on customer_risks for each row
  execute function keep_risk_change();
create or replace trigger customer_risk_changes_append_only before update or delete on customer_risk_changes
  for each row execute function refuse_change();
create or replace trigger customer_risk_changes_no_truncate before truncate on customer_risk_changes
  for each statement execute function refuse_change();

-- Makes an assessment due of a customer of whom something has changed. The argument is the column that says
-- who. It is done as the last thing of a transaction, so that nobody who holds this row waits for another.
create or replace function risk_is_due() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare customer constant uuid := to_jsonb(new) ->> tg_argv[0];
begin
  insert into customer_risks as r (customer_id)
    select u.id from users u where u.id = customer and u.role = 'customer'
    on conflict (customer_id) do update set assessed_at = '-infinity' where r.assessed_at <> '-infinity';
  return null;
end $$;
-- "or replace" does not exist for constraint triggers
drop trigger if exists accounts_risk on accounts;
create constraint trigger accounts_risk after insert on accounts deferrable initially deferred for each row
  when (new.owner_id is not null) execute function risk_is_due('owner_id');
drop trigger if exists aml_flags_risk on aml_flags;
create constraint trigger aml_flags_risk after update of status on aml_flags
  deferrable initially deferred for each row
  when (old.status <> new.status and 'confirmed' in (old.status, new.status))
  execute function risk_is_due('customer_id');
drop trigger if exists users_risk on users;
create constraint trigger users_risk after update of country, address on users
  deferrable initially deferred for each row
  when (coalesce(new.address->>'country', new.country)
    is distinct from coalesce(old.address->>'country', old.country))
  execute function risk_is_due('id');

-- Makes everybody due once the bank has other countries with a high risk, or other points.
create or replace function risk_settings_changed() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update risk_factors set updated_at = bank_now() where by_law;
  return null;
end $$;
create or replace trigger bank_settings_risk after update of high_risk_countries, risk_points on bank_settings
  for each row when ((new.high_risk_countries, new.risk_points)
    is distinct from (old.high_risk_countries, old.risk_points))
  execute function risk_settings_changed();
