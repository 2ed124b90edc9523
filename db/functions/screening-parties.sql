-- Who is screened, and what was found about them.

-- Returns somebody as they are compared with lists; null if they are not there.
create or replace function screening_asked(wanted_type text, wanted uuid) returns jsonb
language sql stable security definer set search_path = public, pg_temp as $$
  select case wanted_type
    when 'customer' then (select jsonb_strip_nulls(jsonb_build_object('kind', 'person',
        'name', u.first_name || ' ' || u.last_name, 'birth_date', u.date_of_birth))
      from users u where u.id = wanted)
    when 'beneficiary' then (select jsonb_build_object('name', b.name) from beneficiaries b
      where b.id = wanted)
    when 'kyc_application' then (select jsonb_strip_nulls(jsonb_build_object('kind', 'person',
        'name', concat_ws(' ', a.form->>'first_name', a.form->>'middle_names', a.form->>'last_name'),
        'birth_date', a.form->>'date_of_birth'))
      from kyc_applications a where a.id = wanted)
    when 'kyb_application' then (select jsonb_strip_nulls(jsonb_build_object('kind', 'company',
        'name', a.form->>'legal_name', 'names', (select jsonb_agg(n order by n)
          from (select t.name from jsonb_array_elements_text(a.form->'trading_names') t(name)
            union select c.value->>'legal_name' from jsonb_array_elements(a.form->'companies') c) o(n))))
      from kyc_applications a where a.id = wanted) end
$$;
grant execute on function screening_asked to teller_app;

-- Returns the lock under which lists take effect, and which whoever relies on them shares.
create or replace function screening_lock() returns bigint
language sql immutable as $$ select 73180001::bigint $$;

-- Returns whether somebody outside the bank was compared with the lists as they are now. While no list has
-- ever been loaded there is nothing to compare with.
create or replace function screening_is_current(payee uuid) returns boolean
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  perform pg_advisory_xact_lock_shared(screening_lock());
  return payee is null or exists (select from screening_state s
    where s.epoch = 0 or s.epoch <= (select greatest(p.epoch, s.swept_epoch) from screening_parties p
      where p.party_type = 'beneficiary' and p.party_id = payee and p.epoch is not null));
end $$;

-- Returns what identifies an entry of a list.
create or replace function screening_identity(e screening_entries) returns jsonb
language sql immutable set search_path = public, pg_temp as $$
  select jsonb_build_object('kind', e.kind, 'names', e.names, 'details', e.details)
$$;
grant execute on function screening_identity to teller_app;

-- Returns what is different from the newest decision that somebody and an entry are two: no difference is an
-- empty list, and no decision is null. For a payee a decision counts for the name, whatever the account.
create or replace function screening_difference(
  wanted_type text, wanted uuid, payer uuid, asked_for jsonb, e screening_entries
) returns text[]
language sql stable set search_path = public, pg_temp as $$
  select array(select k from jsonb_object_keys(c.asked || asked_for) k
        where c.asked->k is distinct from asked_for->k
      union all select 'entry_' || k from jsonb_object_keys(c.entry) k
        where c.entry->k is distinct from screening_identity(e)->k)
    from screening_clearances c
    where c.customer_id = payer and c.party_type = wanted_type and c.source = e.source
      and c.refs && (e.former_refs || e.ref) and (c.party_id = wanted or c.asked = asked_for)
    order by c.asked = asked_for and c.entry = screening_identity(e) desc, c.created_at desc limit 1
$$;
grant execute on function screening_difference to teller_app;

-- Opens a flag for somebody who could be an entry, or finds the open one of the two. pair: {type, party,
-- asked, match, epoch?}. Null if the pair is known to be two people.
create or replace function screening_flag(h aml_hits, pair jsonb) returns uuid
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  e screening_entries; met jsonb := pair->'match'; asked_for jsonb := pair->'asked'; flag uuid;
  differs text[];
begin
  -- two that find the same pair at once open one flag
  update screening_parties p set epoch = coalesce((pair->>'epoch')::bigint, p.epoch),
      screened_at = case when pair ? 'epoch' then bank_now() else p.screened_at end
    where p.party_type = pair->>'type' and p.party_id = (pair->>'party')::uuid;
  select * into strict e from screening_entries x where x.id = (met->>'entry')::uuid;
  differs := screening_difference(pair->>'type', (pair->>'party')::uuid, h.customer_id, asked_for, e);
  if differs = '{}' then return null; end if;
  -- what was cleared for once is asked again at the next payment, and not beside payments
  if h.subject_type <> 'transfer' and exists (
      select from screening_hits s join aml_flags x on x.id = s.flag_id
        where s.customer_id = h.customer_id and s.entry_id = e.id and s.party_type = pair->>'type'
          and s.asked = asked_for and s.entry = screening_identity(e) and x.status = 'cleared') then
    return null;
  end if;
  select f.id into flag from screening_hits s join aml_flags f on f.id = s.flag_id
    where s.customer_id = h.customer_id and s.entry_id = e.id and s.party_type = pair->>'type'
      and s.asked = asked_for and s.entry = screening_identity(e) and f.resolved_at is null
    order by f.id limit 1 for update of f;
  if flag is not null then
    if not exists (select from aml_hits k where k.flag_id = flag and k.subject_id = h.subject_id) then
      update aml_flags x set last_hit_at = h.at, held = x.held or h.held, updated_at = bank_now()
        where x.id = flag;
      insert into aml_flag_events (flag_id, kind, after) values (flag, 'hit', h.subject_id::text);
    end if;
    return flag;
  end if;
  flag := aml_flag_open('sanctions', 'high', h);
  update aml_flags x set match = jsonb_build_object('list', e.source, 'list_version', met->'version',
      'entry_id', e.ref, 'programme', e.programme, 'reference', e.reference, 'score', met->'score',
      'asked', asked_for, 'changed', to_jsonb(coalesce(differs, '{}')), 'explanation', met->'explanation')
    where x.id = flag;
  insert into screening_hits (flag_id, party_type, party_id, customer_id, entry_id, source, list_version,
      refs, score, asked, entry, changed, explanation)
    values (flag, pair->>'type', (pair->>'party')::uuid, h.customer_id, e.id, e.source,
      (met->>'version')::int, e.former_refs || e.ref, (met->>'score')::int, asked_for,
      screening_identity(e), coalesce(differs, '{}'), met->'explanation');
  return flag;
end $$;

-- Returns the flags about whom a transfer pays outside the bank, also those that another payment to the same
-- name has opened.
create or replace function screening_flags_of(t transfers) returns setof aml_flags
language sql stable set search_path = public, pg_temp as $$
  select f.* from screening_hits s join aml_flags f on f.id = s.flag_id
    where t.beneficiary_id is not null and s.customer_id = t.customer_id and s.party_type = 'beneficiary'
      and (s.party_id = t.beneficiary_id or s.asked = screening_asked('beneficiary', t.beneficiary_id))
$$;

-- Returns a sentence and the details of a match as flags explain themselves.
create or replace function screening_explanation(match jsonb) returns jsonb
language sql immutable as $$
  select jsonb_build_object('leaves', '[]'::jsonb, 'movements', '[]'::jsonb,
    'text', coalesce(match->'explanation'->>'summary', 'A name could be an entry of a list.'))
    || (match - 'entry')
$$;

-- Judges a payee outside the bank by what screening has found. screened: {epoch, matches} or {epoch, failed}.
-- Refuses with 'unavailable' what was found on older lists: whoever asks screens again. What could not be
-- screened is held, and so is what nobody has screened since a list was loaded first.
create or replace function screening_verdict(
  t transfers, m aml_movements, screened jsonb, out refusal text, out hits jsonb
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare state screening_state; match jsonb; met jsonb; asked_for jsonb; failure text;
begin
  hits := '[]';
  if t.beneficiary_id is null then return; end if;
  perform pg_advisory_xact_lock_shared(screening_lock());
  select * into state from screening_state;
  if screened is null and state.epoch = 0 then return; end if;
  failure := case when screened is null then 'missing' else screened->>'failed' end;
  if (screened->>'epoch')::bigint <> state.epoch and failure is null then
    refusal := 'unavailable';
    return;
  end if;
  if failure is not null then
    hits := jsonb_build_array(aml_hit(m, 'not_checked', 'hold', 'high', jsonb_build_object('failed', failure,
      'leaves', '[]'::jsonb, 'movements', '[]'::jsonb, 'text', 'The payee could not be screened.'))
      || jsonb_build_object('kind', 'sanctions'));
    return;
  end if;
  asked_for := screening_asked('beneficiary', t.beneficiary_id);
  for match in select x from jsonb_array_elements(screened->'matches') x loop
    -- the list has dropped it while it was compared
    continue when not exists (select from screening_entries e where e.id = (match->>'entry')::uuid);
    continue when screening_difference('beneficiary', t.beneficiary_id, t.customer_id, asked_for,
      (select e from screening_entries e where e.id = (match->>'entry')::uuid)) = '{}';
    met := jsonb_build_object('type', 'beneficiary', 'party', t.beneficiary_id, 'asked', asked_for,
      'match', match, 'epoch', state.epoch);
    hits := hits || (aml_hit(m, 'hit', 'hold', 'high', screening_explanation(match))
      || jsonb_build_object('found', met));
  end loop;
  if hits = '[]' then
    update screening_parties p set epoch = state.epoch, screened_at = bank_now()
      where p.party_type = 'beneficiary' and p.party_id = t.beneficiary_id
        and p.epoch is distinct from state.epoch;
  end if;
end $$;

-- Writes down that somebody was compared with the lists as they were at an epoch, or, without one, with some
-- entries only, and opens a flag for each pair that nobody has cleared. Returns how many pairs are open, or
-- null if the lists or the name have changed since, so that it has to be done again.
create or replace function screening_record(
  wanted_type text, wanted uuid, asked_for jsonb, at_epoch bigint, matches jsonb
) returns int
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare p screening_parties; match jsonb; h aml_hits; flag uuid; open_pairs int := 0; is_new boolean;
begin
  perform pg_advisory_xact_lock_shared(screening_lock());
  select * into p from screening_parties x where x.party_type = wanted_type and x.party_id = wanted
    for no key update;
  if p.party_id is null or screening_asked(wanted_type, wanted) is distinct from asked_for
     or at_epoch <> (select s.epoch from screening_state s) then
    return null;
  end if;
  for match in select x from jsonb_array_elements(matches) x loop
    h := null;
    h.at := bank_now();
    h.outcome := 'hit';
    h.customer_id := p.customer_id;
    h.subject_type := wanted_type;
    h.subject_id := wanted;
    h.held := true;
    h.explanation := screening_explanation(match);
    flag := screening_flag(h, jsonb_build_object('type', wanted_type, 'party', wanted, 'asked', asked_for,
      'match', match));
    continue when flag is null;
    open_pairs := open_pairs + 1;
    insert into aml_hits (at, outcome, flag_id, customer_id, subject_type, subject_id, held, explanation)
      select h.at, h.outcome, flag, h.customer_id, h.subject_type, h.subject_id, h.held, h.explanation
        where not exists (select from aml_hits k where k.flag_id = flag and k.subject_id = h.subject_id);
  end loop;
  update screening_parties x set epoch = at_epoch, screened_at = bank_now()
    where x.party_type = wanted_type and x.party_id = wanted and at_epoch is not null;
  return open_pairs;
end $$;
grant execute on function screening_record to teller_app;

-- Writes down that these people, [{type, id, asked}], met nobody on the lists of an epoch. Leaves out who has
-- another name by now, and those with whom somebody else is busy. Returns how many it wrote.
create or replace function screening_record_clean(people jsonb, at_epoch bigint) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare written int;
begin
  perform pg_advisory_xact_lock_shared(screening_lock());
  update screening_parties x set epoch = at_epoch, screened_at = bank_now()
    from (select p.party_type, p.party_id from jsonb_to_recordset(people) c(type text, id uuid, asked jsonb)
        join screening_parties p on p.party_type = c.type and p.party_id = c.id
      where screening_asked(p.party_type, p.party_id) = c.asked
        and at_epoch = (select s.epoch from screening_state s)
      order by p.party_type, p.party_id for no key update of p skip locked) o
    where x.party_type = o.party_type and x.party_id = o.party_id;
  get diagnostics written = row_count;
  return written;
end $$;
grant execute on function screening_record_clean to teller_app;

-- Lets one process at a time screen beside payments, for as many seconds. Returns the state of the lists, or
-- nothing while another one is busy or nobody has to be screened. Called again by the same process it goes
-- on.
create or replace function screening_claim(seconds int, goes_on boolean) returns setof screening_state
language sql security definer set search_path = public, pg_temp as $$
  update screening_state s set busy_until = machine_now() + make_interval(secs => seconds)
    where goes_on or coalesce(s.busy_until < machine_now(), true) and (s.epoch > s.swept_epoch
      or exists (select from screening_parties p where p.epoch is null)
      or exists (select from screening_parties p where p.screened_at < s.full_from)) returning s.*
$$;
grant execute on function screening_claim to teller_app;

-- Ends a process's turn. Where it has compared everybody with what changed after one epoch and up to another,
-- that is written down.
create or replace function screening_done(from_epoch bigint, to_epoch bigint) returns void
language sql security definer set search_path = public, pg_temp as $$
  update screening_state s set busy_until = null,
    swept_epoch = case when s.swept_epoch = from_epoch then greatest(to_epoch, s.swept_epoch)
      else s.swept_epoch end
$$;
grant execute on function screening_done to teller_app;

-- Makes everybody due for a comparison with all lists, unless a pass that began before has not met everybody
-- yet: then that one goes on. Nobody's row is touched. Returns how many are due.
create or replace function screening_begin() returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update screening_state s set full_from = bank_now() where not exists (
    select from screening_parties p where p.screened_at < s.full_from);
  return (select count(*) from screening_parties p, screening_state s
    where p.epoch is null or p.screened_at < s.full_from);
end $$;
grant execute on function screening_begin to teller_app;

-- Makes a customer due whenever their name or date of birth is another, and each new payee.
create or replace function screening_due() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_table_name = 'beneficiaries' then
    insert into screening_parties (party_type, party_id, customer_id)
      values ('beneficiary', new.id, (to_jsonb(new)->>'user_id')::uuid);
  else
    insert into screening_parties as p (party_type, party_id, customer_id)
      values ('customer', new.id, new.id)
      on conflict (party_type, party_id) do update set epoch = null, screened_at = null;
  end if;
  return null;
end $$;
create or replace trigger users_are_screened after insert on users
  for each row when (new.role = 'customer') execute function screening_due();
create or replace trigger users_are_screened_again after update of first_name, last_name, date_of_birth
  on users for each row when (new.role = 'customer'
    and (new.first_name, new.last_name, new.date_of_birth)
      is distinct from (old.first_name, old.last_name, old.date_of_birth))
  execute function screening_due();
create or replace trigger beneficiaries_are_screened after insert on beneficiaries
  for each row execute function screening_due();

create or replace trigger screening_hits_append_only before update or delete on screening_hits
  for each row execute function refuse_change();
create or replace trigger screening_clearances_append_only before update or delete on screening_clearances
  for each row execute function refuse_change();
