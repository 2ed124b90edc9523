-- What is known of a movement when it is judged, and what is kept of it.

-- Returns an amount in another currency by the rate of a moment, exactly; null if there is none or it is
-- stale.
create or replace function aml_converted(amount numeric, source text, target text, moment timestamptz)
returns numeric
language sql stable set search_path = public, pg_temp as $$
  select case when source = target then amount else (
    select case when f.stale then null when f.base = source then amount * f.rate
        else round(amount, 60) / f.rate end
      from (select * from fx_rate_at(source, target, moment) union all
            select * from fx_rate_at(target, source, moment)) f
      order by f.base = source desc limit 1) end
$$;

-- Returns a movement with all that is known of it now. party: [type of the subject, direction].
create or replace function aml_movement_of(
  wanted_kind text, subject_type text, subject uuid, customer uuid, account uuid, unit text,
  minor_units numeric, type_code text, other text, country text, moment timestamptz
) returns aml_movements
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare m aml_movements;
begin
  m.kind := wanted_kind;
  m.direction := case when wanted_kind in ('incoming_transfer', 'crypto_deposit') then 'incoming'
    else 'outgoing' end;
  m.subject_type := subject_type;
  m.subject_id := subject;
  m.customer_id := customer;
  m.account_id := account;
  m.asset := unit;
  m.transfer_type := type_code;
  m.counterparty := other;
  m.counterparty_country := country;
  m.at := moment;
  select round(minor_units * ('1e-' || a.scale)::numeric, a.scale) into m.amount
    from assets a where a.code = unit;
  select aml_converted(m.amount, unit, s.base_asset, moment) into m.amount_base from fx_settings s;
  select greatest(u.email_changed_at, u.phone_verified_at), u.kyc_status
    into m.contact_changed_at, m.kyc_status from users u where u.id = customer;
  m.kyc_status := coalesce(m.kyc_status, 'none');
  m.customer_risk := customer_risk(customer);
  select a.opened_at into m.account_opened_at from accounts a where a.id = account;
  select h.at into m.counterparty_first_at from aml_movements h
    where h.customer_id = customer and h.counterparty = other order by h.seq limit 1;
  return aml_after_last(m);
end $$;

-- Returns the movement as the next one of its customer: its number, and what had been moved before it.
create or replace function aml_after_last(m aml_movements) returns aml_movements
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare l aml_movements;
begin
  select * into l from aml_movements h where h.customer_id = m.customer_id order by h.seq desc limit 1;
  m.seq := coalesce(l.seq, 0) + 1;
  m.at := greatest(m.at, l.at);
  m.out_count := coalesce(l.out_count + (l.direction = 'outgoing')::int, 0);
  m.in_count := coalesce(l.in_count + (l.direction = 'incoming')::int, 0);
  m.out_base := coalesce(l.out_base + case l.direction when 'outgoing' then coalesce(l.amount_base, 0)
    else 0 end, 0);
  m.in_base := coalesce(l.in_base + case l.direction when 'incoming' then coalesce(l.amount_base, 0)
    else 0 end, 0);
  m.out_unrated := coalesce(l.out_unrated
    + (l.direction = 'outgoing' and l.amount_base is null)::int, 0);
  m.in_unrated := coalesce(l.in_unrated + (l.direction = 'incoming' and l.amount_base is null)::int, 0);
  -- what has ended without the money having gone was no sign of life
  m.last_own_at := case when l.ended_at is null then l.at else (select h.at from aml_movements h
    where h.customer_id = m.customer_id and (h.ended_at is null or h.ended_at > m.at)
    order by h.seq desc limit 1) end;
  return m;
end $$;

-- Takes a movement out of what counts, because it has ended without the money having gone.
create or replace function aml_movement_ended(subject uuid) returns void
language sql set search_path = public, pg_temp as $$
  update aml_movements set ended_at = bank_now() where subject_id = subject and ended_at is null
$$;

-- Refuses to rewrite a movement: it ends, once.
create or replace function check_aml_movement() returns trigger language plpgsql as $$
begin
  if old.ended_at is not null or new.ended_at is null
     or to_jsonb(new) - 'ended_at' <> to_jsonb(old) - 'ended_at' then
    raise exception 'a movement of % cannot be rewritten', old.customer_id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create or replace trigger aml_movements_change before update on aml_movements
  for each row execute function check_aml_movement();
