-- Identity checks of people, and what checks of companies have in common with them (kyb.sql has the rest).
-- Each function locks the customer first and then the application, so that whoever submits, reviews or
-- withdraws at the same moment finds what the other has done.

-- Returns whether a document of a type is one by which people identify themselves.
create or replace function kyc_is_identity(of_type text) returns boolean
language sql immutable as $$ select of_type ~ '^(passport|id_card|residence_permit|driving)' $$;
grant execute on function kyc_is_identity to teller_app;

-- Returns the documents of an application: each type that it needs, and each other one that was handed in,
-- with the newest file and what became of it. A document that has expired counts no longer.
create or replace function kyc_document_states(a kyc_applications)
returns table (document_type text, document_id uuid, state text, code text, is_required boolean)
language sql stable set search_path = public, pg_temp as $$
  select t.type, d.upload_id, case when d.state in ('uploaded', 'accepted') and kyc_is_identity(t.type)
        and (a.form->'document'->>'expires_on')::date <= bank_day(bank_now()) then 'expired'
      else coalesce(d.state, 'missing') end, d.code, coalesce(t.n, 0) > 0
    from (select r.type, r.n from unnest(a.required) with ordinality r(type, n)
        union all
        select distinct x.type, null::bigint from kyc_documents x
          where x.application_id = a.id and x.type <> all (a.required)) t
      left join lateral (select x.* from kyc_documents x
        where x.application_id = a.id and x.type = t.type and x.arrived_at is not null
        order by x.arrived_at desc, x.upload_id desc limit 1) d on true
    where t.n is not null or d.upload_id is not null
    order by t.n nulls last, t.type
$$;
grant execute on function kyc_document_states to teller_app;

-- Returns whether the review can begin: nothing that the application needs is missing or was rejected.
create or replace function kyc_is_complete(a kyc_applications) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select not exists (select from kyc_document_states(a) s
    where s.is_required and s.state in ('missing', 'rejected'))
$$;

-- Returns an application under the locks of its person and of itself; null if there is none, or none of this
-- person.
create or replace function kyc_locked(application uuid, owner uuid) returns kyc_applications
language plpgsql set search_path = public, pg_temp as $$
declare a kyc_applications;
begin
  perform from users u where u.id = (select x.user_id from kyc_applications x
    where x.id = application and x.user_id = coalesce(owner, x.user_id)) for no key update;
  if not found then return null; end if;
  select * into a from kyc_applications x where x.id = application for no key update;
  return a;
end $$;

-- The days after which somebody who lets an application lie is reminded.
create or replace function kyc_reminder_days() returns int[]
language sql immutable as $$ select array[3, 7, 12] $$;

-- Returns when somebody who was reminded so often is reminded next, or when the application expires.
create or replace function kyc_look_at(since timestamptz, due timestamptz, reminded int) returns timestamptz
language sql immutable set search_path = public, pg_temp as $$
  select case when due is not null
    then least(due, since + make_interval(days => (kyc_reminder_days())[reminded + 1])) end
$$;

-- How many days before an approval ends its customer is reminded. From the first reminder on they can apply
-- again.
create or replace function kyc_renewal_days() returns int[]
language sql immutable as $$ select array[60, 30, 7] $$;

-- Returns how many reminders of an approval that ends at 'due' should have been sent by now.
create or replace function kyc_renewal_reminders(due timestamptz) returns int
language sql stable set search_path = public, pg_temp as $$
  select count(*)::int from unnest(kyc_renewal_days()) d where due - make_interval(days => d) <= bank_now()
$$;

-- Returns when somebody who was reminded so often of an approval is reminded next, or when it ends.
create or replace function kyc_renewal_look_at(due timestamptz, reminded int) returns timestamptz
language sql immutable set search_path = public, pg_temp as $$
  select coalesce(due - make_interval(days => (kyc_renewal_days())[reminded + 1]), due)
$$;

-- Returns who a customer is by their profile, as far as their identity is checked.
create or replace function kyc_profile(customer uuid) returns jsonb
language sql stable set search_path = public, pg_temp as $$
  select jsonb_build_object('first_name', u.first_name, 'last_name', u.last_name,
      'date_of_birth', u.date_of_birth, 'country', coalesce(u.address->>'country', u.country))
    from users u where u.id = customer
$$;
grant execute on function kyc_profile to teller_app;

-- Returns what the profile of a customer says otherwise than their form.
create or replace function kyc_differences(a kyc_applications) returns text[]
language sql stable set search_path = public, pg_temp as $$
  select coalesce(array_agg(p.key order by p.key), '{}') from jsonb_each(kyc_profile(a.user_id)) p
    where a.profile is not null and p.value is distinct from
      coalesce(case p.key when 'country' then a.form->'address'->p.key else a.form->p.key end, 'null')
$$;
grant execute on function kyc_differences to teller_app;

-- Returns whether a customer has changed their profile into something else than what was checked.
create or replace function kyc_is_stale(a kyc_applications) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select exists (select from unnest(kyc_differences(a)) d(field), kyc_profile(a.user_id) p(says)
    where p.says->d.field is distinct from a.profile->d.field)
$$;

-- Returns the day on which the first document expires by which the customer, or a person of the company, is
-- identified; null if nobody knows.
create or replace function kyc_document_expiry(a kyc_applications) returns date
language sql stable set search_path = public, pg_temp as $$
  select min((x.form->'document'->>'expires_on')::date)
    from (select a.form union all
      select p.form from kyb_people(a) p where cardinality(p.required) > 0) x(form)
$$;

-- Returns when an approval ends, and why: when the first document expires, with the next periodic review, or
-- so many days after the profile was changed. Another risk brings the review no nearer than so many days
-- after the customer was rated so, and never puts off the day that stands.
create or replace function kyc_renewal(a kyc_applications, out due timestamptz, out reason text)
language sql stable set search_path = public, pg_temp as $$
  select d.due, d.reason from bank_settings s, lateral (
      select kyc_document_expiry(a)::timestamp at time zone s.time_zone, 'document_expires'
      union all
      select greatest(a.decided_at + make_interval(years => s.kyc_review_years[risk_rank(
          customer_risk(a.user_id))]), least(a.due_at, r.since + make_interval(days => s.kyc_renewal_days))),
          'review_due'
        from (select max(x.level_since) as since from customer_risks x
          where x.customer_id = a.user_id and x.level_since > a.decided_at) r
      union all
      select bank_now() + make_interval(days => s.kyc_renewal_days), 'profile_changed'
        where kyc_is_stale(a)) d(due, reason)
    where d.due is not null order by d.due limit 1
$$;

-- Returns whether somebody who is approved can be checked again.
create or replace function kyc_is_renewable(a kyc_applications) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select a.due_at <= bank_now() + make_interval(days => (kyc_renewal_days())[1]) or kyc_is_stale(a)
$$;

-- Ends the approval of a customer that a decision replaces.
create or replace function kyc_replace_approval(a kyc_applications) returns void
language sql set search_path = public, pg_temp as $$
  update kyc_applications x set status = 'expired', status_at = bank_now(), due_at = null, look_at = null,
      renewal_reason = null, updated_at = bank_now()
    where (x.user_id, x.kind, x.status) = (a.user_id, a.kind, 'approved') and x.kyb_application_id is null
      and x.id <> a.id
$$;

-- Writes an application as it is now. What waits for its person ends by itself after so many days, and an
-- approval when it has to be renewed.
create or replace function kyc_keep(a kyc_applications, was text, days int) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  if a.status <> was then
    a.status_at := bank_now();
    a.reminders := 0;
    a.due_at := case when a.status in ('submitted', 'changes_requested')
      then bank_now() + make_interval(days => days) end;
    if a.kyb_application_id is null and (a.status = 'approved' or a.status = 'rejected' and a.final) then
      perform kyc_replace_approval(a);
    end if;
    if a.kyb_application_id is null and a.status = 'approved' then
      select r.due, r.reason into a.due_at, a.renewal_reason from kyc_renewal(a) r;
      a.reminders := kyc_renewal_reminders(a.due_at);
    end if;
  end if;
  update kyc_applications x set status = a.status, round = a.round, form = a.form, required = a.required,
      grants = a.grants, needs_second = a.needs_second, first_by = a.first_by, first_at = a.first_at,
      status_at = a.status_at, due_at = a.due_at, look_at = case a.status
        when 'approved' then kyc_renewal_look_at(a.due_at, a.reminders)
        else kyc_look_at(a.status_at, a.due_at, a.reminders) end,
      renewal_reason = a.renewal_reason, profile_restored = a.profile_restored,
      reminders = a.reminders, submitted_at = a.submitted_at, decision = a.decision,
      decided_by = a.decided_by, decided_at = a.decided_at, code = a.code, final = a.final,
      retry_at = a.retry_at, message = a.message, items = a.items,
      ended_at = case when a.status not in ('submitted', 'in_review', 'changes_requested')
        then coalesce(a.ended_at, bank_now()) end,
      updated_at = bank_now()
    where x.id = a.id;
end $$;

-- Begins the next round of an application in which changes were requested.
create or replace function kyc_next_round(a kyc_applications, document_days int) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  a.status := 'submitted';
  a.round := a.round + 1;
  a.first_by := null;
  a.first_at := null;
  a.submitted_at := bank_now();
  a.items := '[]';
  a.message := null;
  perform kyc_keep(a, 'changes_requested', document_days);
end $$;

-- Returns whether an application takes a document of a type: in the first round each one until the review
-- begins, later what is missing, rejected or asked for, and every proof of identity if the form may name
-- another one.
create or replace function kyc_admits(a kyc_applications, of_type text) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select case a.status when 'submitted' then a.round = 1 or d.is_open when 'in_review' then d.is_missing
      when 'changes_requested' then d.is_open or exists (select from jsonb_array_elements(a.items) i
        where i.value->>'document_type' = of_type or i.value->>'field' ~ '^/document'
          and kyc_is_identity(of_type))
      else false end
    from (select coalesce(bool_or(s.state in ('missing', 'rejected', 'expired')), false),
        coalesce(bool_or(s.state = 'missing'), false)
      from kyc_document_states(a) s where s.document_type = of_type) d(is_open, is_missing)
$$;
grant execute on function kyc_admits to teller_app;

-- Lets the review of an application begin once nothing is missing. Nobody submits that of a company's person
-- again: its next round begins once every document has come that was asked for.
create or replace function kyc_begin_review(application uuid) returns void
language plpgsql set search_path = public, pg_temp as $$
declare a kyc_applications;
begin
  select * into a from kyc_applications x where x.id = application for no key update;
  if not kyc_is_complete(a) then return; end if;
  if a.status = 'changes_requested' and a.kyb_application_id is not null
     and not exists (select from jsonb_array_elements(a.items) i
       join kyc_document_states(a) s on s.document_type = i.value->>'document_type'
       where s.state = 'rejected') then
    perform kyc_next_round(a, 1);
    select * into a from kyc_applications x where x.id = application;
  end if;
  if a.status <> 'submitted' then return; end if;
  a.status := 'in_review';
  perform kyc_keep(a, 'submitted', 0);
end $$;

-- Returns the application of a kind that says how far a customer is: the open one, otherwise the newest, but
-- an approval that stands rather than a later one that came to nothing.
create or replace function compliance_current(customer uuid, of_kind text) returns setof kyc_applications
language sql stable set search_path = public, pg_temp as $$
  select x.* from kyc_applications x
    where x.user_id = customer and x.kind = of_kind and x.kyb_application_id is null
    order by x.ended_at is null desc, x.status in ('withdrawn', 'expired') and exists (
        select from kyc_applications o where (o.user_id, o.kind, o.status) = (customer, of_kind, 'approved')
          and o.kyb_application_id is null),
      x.created_at desc, x.id desc limit 1
$$;
grant execute on function compliance_current to teller_app;

-- Keeps others from changing anything of a customer's applications until the transaction ends.
create or replace function compliance_lock(customer uuid) returns void
language sql security definer set search_path = public, pg_temp as $$
  select from users u where u.id = customer for no key update
$$;
grant execute on function compliance_lock to teller_app;

-- Submits a form of a kind for a customer: a new application, or, while changes are requested, the next
-- round of the one there is. Customers of a high risk need the 'enhanced' documents too, and two people
-- decide about them. What is missing can be handed in for so many days. Returns the id of the application, or
-- why not: application_open, application_final, retry_later (with retry_at) or already_decided.
create or replace function compliance_apply(
  of_kind text, new_id uuid, applicant uuid, said jsonb, needed text[], enhanced text[], level int,
  document_days int, out refusal text, out application uuid, out not_before timestamptz
) language plpgsql set search_path = public, pg_temp as $$
declare a kyc_applications; known int; before jsonb;
begin
  select u.kyc_level into known from users u where u.id = applicant for no key update;
  -- whoever changes it has locked the customer before
  select * into a from compliance_current(applicant, of_kind);
  application := a.id;
  refusal := case
    when a.status in ('submitted', 'in_review') then 'application_open'
    when a.status = 'rejected' and a.final then 'application_final'
    when a.status = 'rejected' and a.retry_at > bank_now() then 'retry_later'
    when a.status = 'approved' and level <= known and not kyc_is_renewable(a)
      and (of_kind = 'kyc' or a.form = said) then 'already_decided' end;
  if refusal is not null then
    not_before := a.retry_at;
    return;
  end if;
  if a.status = 'changes_requested' then
    a.form := said;
    a.required := needed;
    a.grants := level;
    perform kyc_next_round(a, document_days);
  else
    application := new_id;
    if of_kind = 'kyc' then
      -- a change since the last approval goes on counting until a form explains it
      select x.profile into before from kyc_applications x
        where x.user_id = applicant and x.kind = 'kyc' and x.kyb_application_id is null
          and x.decision = 'approve' order by x.decided_at desc limit 1;
      a.user_id := applicant;
      a.form := said;
      a.profile := coalesce(before, kyc_profile(applicant));
      if not kyc_is_stale(a) then a.profile := kyc_profile(applicant); end if;
    end if;
    insert into kyc_applications (id, user_id, kind, form, required, grants, needs_second, due_at, look_at,
        profile)
      select new_id, applicant, of_kind, said, needed, level, exists (
            -- whoever withdraws and applies again does not get rid of the second reviewer
            select from kyc_applications x where x.user_id = applicant and x.kind = of_kind
              and x.kyb_application_id is null and x.needs_second), d.due, kyc_look_at(bank_now(), d.due, 0),
          a.profile
        from (select bank_now() + make_interval(days => document_days)) d(due);
  end if;
  if risk_assess(applicant) = 'high' then
    update kyc_applications x set needs_second = true, updated_at = bank_now(),
        required = x.required || array(select e from unnest(enhanced) e where e <> all (x.required))
      where x.id = application;
  end if;
  perform kyc_begin_review(application);
end $$;

-- Submits what somebody says of themselves; compliance_apply says what comes of it.
create or replace function kyc_apply(
  new_id uuid, applicant uuid, said jsonb, needed text[], enhanced text[], level int, document_days int,
  out refusal text, out application uuid, out not_before timestamptz
) language plpgsql security definer set search_path = public, pg_temp as $$
begin
  select s.refusal, s.application, s.not_before into refusal, application, not_before
    from compliance_apply('kyc', new_id, applicant, said, needed, enhanced, level, document_days) s;
  if refusal is null then delete from kyc_drafts d where d.user_id = applicant; end if;
end $$;
grant execute on function kyc_apply to teller_app;

-- Keeps what somebody has filled in. Returns why not: application_open.
create or replace function kyc_draft_keep(person uuid, said jsonb) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare state text;
begin
  select u.kyc_status into state from users u where u.id = person for no key update;
  if state in ('submitted', 'in_review', 'changes_requested') then return 'application_open'; end if;
  insert into kyc_drafts as d (user_id, form) values (person, said)
    on conflict (user_id) do update set form = excluded.form, saved_at = bank_now();
  update users u set kyc_status = 'draft' where u.id = person and u.kyc_status in ('none', 'skipped');
  return null;
end $$;
grant execute on function kyc_draft_keep to teller_app;

-- Returns the highest level that an account type asks for which customers can have.
create or replace function kyc_level_in_use() returns int
language sql stable set search_path = public, pg_temp as $$
  select coalesce(max(t.kyc_level_required), 0) from account_types t
    where t.enabled and t.openable_by in ('customer', 'request')
$$;
grant execute on function kyc_level_in_use to teller_app;

-- Lets somebody do without an identity check. Returns why not: kyc_required, if an account type that they
-- could have asks for more, or not_skippable.
create or replace function kyc_skip(person uuid) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare state text;
begin
  select u.kyc_status into state from users u where u.id = person for no key update;
  if state = 'skipped' then return null; end if;
  if state not in ('none', 'draft') then return 'not_skippable'; end if;
  if kyc_level_in_use() > 0 then return 'kyc_required'; end if;
  update users u set kyc_status = 'skipped' where u.id = person;
  return null;
end $$;
grant execute on function kyc_skip to teller_app;

-- Ends an application that its customer does not want any more; that of a company's person ends with that of
-- the company. Returns why not: not_found or already_decided.
create or replace function kyc_withdraw(application uuid, owner uuid) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare a kyc_applications; was text;
begin
  a := kyc_locked(application, owner);
  if a.id is null or a.kyb_application_id is not null then return 'not_found'; end if;
  if a.ended_at is not null then return 'already_decided'; end if;
  was := a.status;
  a.status := 'withdrawn';
  perform kyc_keep(a, was, 0);
  return null;
end $$;
grant execute on function kyc_withdraw to teller_app;

-- Returns an application, and keeps others from adding documents to it until the transaction ends.
create or replace function kyc_for_documents(application uuid) returns kyc_applications
language sql security definer set search_path = public, pg_temp as $$
  select kyc_locked(application, null)
$$;
grant execute on function kyc_for_documents to teller_app;

-- Accepts or rejects one document of an application, as long as that is not decided. Returns why not:
-- not_found, already_decided or same_person.
create or replace function kyc_document_review(
  application uuid, document uuid, actor uuid, verdict text, why text
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare a kyc_applications;
begin
  perform require_action(actor, 'compliance:review');
  a := kyc_locked(application, null);
  if a.id is null or not exists (select from kyc_document_states(a) s where s.document_id = document) then
    return 'not_found';
  end if;
  if a.user_id = actor then return 'same_person'; end if;
  if a.status not in ('submitted', 'in_review') then return 'already_decided'; end if;
  update kyc_documents d set state = verdict, code = why, reviewed_by = actor, reviewed_at = bank_now()
    where d.upload_id = document;
  -- a rejection may have been the last thing that kept the review from beginning
  perform kyc_begin_review(application);
  return null;
end $$;
grant execute on function kyc_document_review to teller_app;

-- Returns who is compared with the lists because of an application: the customer, the application, and the
-- people of a company.
create or replace function kyc_parties(a kyc_applications) returns table (party_type text, party_id uuid)
language sql stable set search_path = public, pg_temp as $$
  select 'customer', a.user_id union all select a.kind || '_application', a.id
    union all select 'kyc_application', p.id from kyb_people(a) p
$$;

-- Returns the flags that lists have raised about the customer, under whatever name they have applied, and
-- about the people of the application, oldest first. One flag stands for all that have the same name.
create or replace function kyc_matches(a kyc_applications) returns setof aml_flags
language sql stable set search_path = public, pg_temp as $$
  select f.* from aml_flags f where f.customer_id = a.user_id and f.kind = 'sanctions'
    and (f.subject_type = 'customer' or f.subject_type in ('kyc_application', 'kyb_application')
      and (f.subject_id in (select p.party_id from kyc_parties(a) p)
        or exists (select from kyc_applications x
          where x.id = f.subject_id and x.kyb_application_id is null)
        or exists (select from screening_hits s join kyc_parties(a) p on p.party_type = s.party_type
            and screening_asked(p.party_type, p.party_id) = s.asked
          where s.flag_id = f.id)))
    order by f.id
$$;

-- Returns all that a decision about an application goes by.
create or replace function kyc_snapshot(a kyc_applications) returns jsonb
language sql stable set search_path = public, pg_temp as $$
  select jsonb_build_object('form', a.form, 'round', a.round,
    'risk', (select jsonb_build_object('level', risk_in_force(r), 'factors', r.factors)
      from customer_risks r where r.customer_id = a.user_id),
    'documents', coalesce((select jsonb_agg(jsonb_build_object('document_id', s.document_id,
        'document_type', s.document_type, 'state', s.state, 'code', s.code,
        'sha256', encode(u.sha256, 'hex')))
      from kyc_document_states(a) s left join uploads u on u.id = s.document_id), '[]'),
    'screening', coalesce((select jsonb_agg(jsonb_build_object('party', p.party_type, 'id', p.party_id,
        'screened_at', p.screened_at, 'epoch', greatest(p.epoch, e.swept_epoch))
        order by p.party_type, p.party_id)
      from screening_state e, kyc_parties(a) k join screening_parties p using (party_type, party_id)), '[]'),
    'people', coalesce((select jsonb_agg(jsonb_build_object('application_id', p.id,
        'person_ref', p.person_ref, 'status', p.status, 'round', p.round) order by p.person_ref)
      from kyb_people(a) p), '[]'),
    'lists', coalesce((select jsonb_agg(jsonb_build_object('source', l.source, 'version', l.version)
        order by l.source)
      from (select x.source, max(x.version) as version from screening_list_loads x
        where x.status = 'loaded' group by x.source) l), '[]'),
    'matches', coalesce((select jsonb_agg(jsonb_build_object('flag', f.number, 'status', f.status))
      from kyc_matches(a) f), '[]'))
$$;

-- Returns whether those of an application were compared with the lists as they are now, under each name that
-- the application gives. While no list has ever been loaded there is nothing to compare with.
create or replace function kyc_is_screened(a kyc_applications) returns boolean
language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock_shared(screening_lock());
  return not exists (select from screening_state s,
      kyc_parties(a) k join screening_parties p using (party_type, party_id)
    where s.epoch > 0 and (p.epoch is null or s.epoch > greatest(p.epoch, s.swept_epoch)));
end $$;

-- Returns what keeps an application from being approved, and what it is about: user_blocked, documents_open,
-- children_open (people of the company who are not approved), document_expired or match_open.
create or replace function kyc_obstacle(a kyc_applications, out refusal text, out about text[])
language plpgsql set search_path = public, pg_temp as $$
declare is_screened constant boolean := kyc_is_screened(a);
begin
  -- from here on no list takes effect, and each statement sees what the comparison has found
  about := array(select s.document_type from kyc_document_states(a) s
    where s.is_required and s.state not in ('accepted', 'expired'));
  if exists (select from users u where u.id = a.user_id and u.status <> 'active') then
    refusal := 'user_blocked';
  elsif cardinality(about) > 0 then
    refusal := 'documents_open';
  elsif exists (select from kyb_people(a) p where p.status <> 'approved') then
    refusal := 'children_open';
    about := array(select p.id from kyb_people(a) p where p.status <> 'approved' order by p.person_ref);
  elsif kyc_document_expiry(a) <= bank_day(bank_now()) then
    refusal := 'document_expired';
  else
    about := array(select f.number from kyc_matches(a) f
      where f.resolved_at is null or f.status = 'confirmed');
    refusal := case when cardinality(about) > 0 or not is_screened then 'match_open' end;
  end if;
end $$;

-- Decides an application: approve, reject or request_changes. said: {note, message?, code?, final?, items?}.
-- Whoever is rejected and not for good may apply again after so many days, or, if they are too young, not
-- before they are of age. Where two have to approve, needs_second says that another person must. Returns why
-- not, with what it is about: not_found, already_decided, same_person, too_many_rounds, user_blocked,
-- documents_open, children_open, document_expired or match_open. A decision that was made before changes
-- nothing: is_repeat.
create or replace function kyc_decide(
  application uuid, decision_id uuid, actor uuid, wanted text, said jsonb, retry_days int, changes_days int,
  most_rounds int, out refusal text, out about text[], out needs_second boolean, out is_repeat boolean
) language plpgsql security definer set search_path = public, pg_temp as $$
declare a kyc_applications; was text; taken jsonb;
begin
  perform require_action(actor, 'compliance:review');
  a := kyc_locked(application, null);
  was := a.status;
  about := '{}';
  -- the answer to the call before was lost
  select not d.stands into needs_second from kyc_decisions d
    where d.id = decision_id and d.application_id = application;
  is_repeat := found;
  if is_repeat then return; end if;
  needs_second := false;
  refusal := case
    when a.id is null then 'not_found'
    when actor = a.user_id then 'same_person'
    when was not in ('submitted', 'in_review') then 'already_decided'
    when wanted = 'request_changes' and a.round >= most_rounds then 'too_many_rounds' end;
  if refusal is null and wanted = 'approve' then
    select o.refusal, o.about into refusal, about from kyc_obstacle(a) o;
    if refusal is null and a.first_by is not null and not independent_of(actor, a.first_by) then
      refusal := 'same_person';
    end if;
  end if;
  if refusal is not null then return; end if;
  a.needs_second := a.needs_second or a.round >= most_rounds
    or wanted = 'approve' and a.kyb_application_id is null and risk_assess(a.user_id) = 'high';
  needs_second := wanted = 'approve' and a.needs_second and a.first_by is null;
  taken := kyc_snapshot(a);
  insert into kyc_decisions (id, application_id, round, kind, stands, decided_by, note, message, code, final,
      items, snapshot)
    values (decision_id, a.id, a.round, wanted, not needs_second, actor, said->>'note', said->>'message',
      said->>'code', (said->>'final')::boolean, coalesce(said->'items', '[]'), taken);
  if needs_second then
    a.first_by := actor;
    a.first_at := bank_now();
  else
    a.decision := wanted;
    a.decided_by := actor;
    a.decided_at := bank_now();
    a.message := said->>'message';
    a.code := said->>'code';
    a.items := coalesce(said->'items', '[]');
    a.status := case wanted when 'approve' then 'approved' when 'reject' then 'rejected'
      else 'changes_requested' end;
    update kyc_documents d set state = 'rejected', code = i.item->>'code', reviewed_by = actor,
        reviewed_at = bank_now()
      from jsonb_array_elements(a.items) i(item)
      where d.upload_id = (i.item->>'document_id')::uuid and d.application_id = a.id;
    if wanted = 'reject' then
      a.final := coalesce((said->>'final')::boolean, false);
      a.retry_at := case when a.final then null
        else greatest(bank_now() + make_interval(days => retry_days), case a.code when 'underage'
          then ((a.form->>'date_of_birth')::date + interval '18 years') at time zone 'UTC' end) end;
    end if;
  end if;
  perform kyc_keep(a, was, changes_days);
end $$;
grant execute on function kyc_decide to teller_app;

-- Tells the customer what has become of an application; of a company's person as news of the company.
create or replace function kyc_notify(a kyc_applications, news text) returns void
language sql set search_path = public, pg_temp as $$
  insert into events (type, user_id, subject, state, waiting, created_at)
    values (case when a.kyb_application_id is not null then 'kyb_update'
        when a.kind = 'kyc' and news = 'renewal' and a.renewal_reason = 'document_expires'
          then 'document_expiring'
        else a.kind || '_update' end, a.user_id,
      coalesce(a.kyb_application_id, a.id), news, true, bank_now())
$$;

-- Does what is due of an application, as often as it is asked: its person is reminded, or it expires. Says
-- how it is then, and after how many seconds to look again.
create or replace function kyc_advance(
  application uuid, out state text, out look_again_seconds bigint
) language plpgsql security definer set search_path = public, pg_temp as $$
declare a kyc_applications; was text;
begin
  a := kyc_locked(application, null);
  was := a.status;
  if a.look_at <= bank_now() and was = 'approved' and exists (select from kyc_applications n
      where (n.user_id, n.kind, n.status) = (a.user_id, a.kind, 'in_review') and n.kyb_application_id is null
        and not exists (select from kyb_people(n) p
          where p.status in ('submitted', 'changes_requested', 'expired'))) then
    -- the customer has done what they could
    update kyc_applications x set look_at = bank_now() + interval '1 day' where x.id = application;
  elsif a.due_at <= bank_now() then
    a.status := 'expired';
    perform kyc_keep(a, was, 0);
  elsif a.look_at <= bank_now() then
    -- whoever was away for long is reminded once
    a.reminders := case was when 'approved' then kyc_renewal_reminders(a.due_at)
      else (select count(*) from unnest(kyc_reminder_days()) d
        where a.status_at + make_interval(days => d) <= bank_now()) end;
    perform kyc_keep(a, was, 0);
    perform kyc_notify(a, case was when 'approved' then 'renewal' else 'reminder' end);
  end if;
  select * into a from kyc_applications x where x.id = application;
  state := coalesce(a.status, 'withdrawn');
  look_again_seconds := case when a.id is null or a.ended_at is not null and a.look_at is null then 0
    else coalesce(greatest(1, ceil(extract(epoch from a.look_at - bank_now()))), 86400) end;
end $$;
grant execute on function kyc_advance to teller_app;

-- Refuses to change what stands of an application, and moves that the table of moves does not have. Of an
-- approval nothing changes but when it ends.
create or replace function check_kyc_change() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare of_approval constant text[] :=
  '{status,status_at,due_at,look_at,reminders,renewal_reason,profile_restored,updated_at}';
begin
  if (new.id, new.user_id, new.kind, new.kyb_application_id, new.person_ref, new.created_at, new.profile)
       is distinct from (old.id, old.user_id, old.kind, old.kyb_application_id, old.person_ref,
         old.created_at, old.profile)
     or new.round < old.round
     or new.status <> old.status and not exists (select from compliance_moves m
       where (m.status, m.next) = (old.status, new.status))
     or new.form is distinct from old.form and old.status <> 'changes_requested'
       and old.kyb_application_id is null
     or old.ended_at is not null and (old.status <> 'approved'
       or to_jsonb(new) - of_approval <> to_jsonb(old) - of_approval) then
    raise exception 'application % does not change like that', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create or replace trigger kyc_applications_change before update on kyc_applications
  for each row execute function check_kyc_change();
create or replace trigger kyc_applications_never_deleted before delete on kyc_applications
  for each row execute function refuse_change();
create or replace trigger kyc_decisions_append_only before update or delete on kyc_decisions
  for each row execute function refuse_change();

-- Returns the highest level that a customer's approvals in force give.
create or replace function kyc_level_of(customer uuid) returns int
language sql stable set search_path = public, pg_temp as $$
  select coalesce(max(x.grants), 0) from kyc_applications x
    where x.user_id = customer and x.kyb_application_id is null and x.status = 'approved'
$$;

-- Tells whoever has to know that an application has another status: the customer's row shows it in the same
-- transaction, its process looks at it, and the customer hears of what somebody else or time has done. The
-- open applications of a company's people end with that of the company.
create or replace function tell_kyc() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  is_own constant boolean := new.kyb_application_id is null;
  -- an approval that has ended by itself; no other decision has replaced it
  has_lapsed constant boolean := new.status = 'expired' and new.renewal_reason is not null;
begin
  update users u set kyc_status = case new.kind
        when 'kyc' then (select c.status from compliance_current(u.id, 'kyc') c) else u.kyc_status end,
      kyc_level = case when new.status = 'approved' and new.kind = 'kyc' then kyc_level_of(u.id)
        when new.status = 'approved' then greatest(u.kyc_level, new.grants)
        when new.status = 'rejected' and new.final and new.kind = 'kyc' then 0
        when new.status = 'rejected' and new.final
          or has_lapsed and (select s.kyc_expired_limits from bank_settings s)
          then least(u.kyc_level, kyc_level_of(u.id))
        else u.kyc_level end
    where u.id = new.user_id and is_own;
  if tg_op = 'INSERT' then return null; end if;
  -- the form of a company says who its people are; what replaces an approval comes with it
  if is_own and (new.status <> 'expired' or has_lapsed) or new.code = 'suspected_forgery' then
    perform risk_assess(new.user_id);
  end if;
  insert into process_updates (workflow_id, update_id, name, input)
    values (new.kind || '/' || new.id, new.status || '/' || new.round, 'changed',
      jsonb_build_object('id', new.id))
    on conflict (workflow_id, update_id) do nothing;
  if has_lapsed then
    perform kyc_notify(new, 'lapsed');
  elsif new.status = 'changes_requested'
     or is_own and new.status in ('approved', 'rejected', 'expired') and old.status <> 'approved' then
    perform kyc_notify(new, new.status);
  end if;
  if new.kind = 'kyb' and old.ended_at is null and new.ended_at is not null then
    perform kyb_end_people(new, '[]');
  end if;
  return null;
end $$;
create or replace trigger kyc_applications_told after update of status on kyc_applications for each row
  when (new.status is distinct from old.status) execute function tell_kyc();
create or replace trigger kyc_applications_begun after insert on kyc_applications
  for each row execute function tell_kyc();

-- Has the names on an application screened unless that is the name of the profile, which is screened anyhow:
-- when the application is submitted, and when the profile gets another name.
create or replace function kyc_screening_due() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into screening_parties as p (party_type, party_id, customer_id)
    select a.kind || '_application', a.id, a.user_id from kyc_applications a
      where case tg_table_name when 'users' then a.user_id else a.id end = new.id
        and (a.ended_at is null or a.status = 'approved')
        and not exists (select from screening_parties c
          where (c.party_type, c.party_id) = ('customer', a.user_id)
            and screening_asked('customer', a.user_id) = screening_asked(a.kind || '_application', a.id))
    on conflict (party_type, party_id) do update set epoch = null, screened_at = null;
  return null;
end $$;
create or replace trigger kyc_applications_screened after insert or update of form on kyc_applications
  for each row execute function kyc_screening_due();
create or replace trigger users_kyc_screened after update of first_name, last_name, date_of_birth on users
  for each row when ((new.first_name, new.last_name, new.date_of_birth)
    is distinct from (old.first_name, old.last_name, old.date_of_birth))
  execute function kyc_screening_due();

-- Lets a document count that comes while the application takes it, and the review begin once the last one
-- has come.
create or replace function kyc_document_arrived() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare application uuid; a kyc_applications; of_type text;
begin
  select d.application_id, d.type into application, of_type from kyc_documents d where d.upload_id = new.id;
  if application is null then return null; end if;
  a := kyc_locked(application, null);
  if kyc_admits(a, of_type) then
    update kyc_documents d set arrived_at = bank_now() where d.upload_id = new.id;
    perform kyc_begin_review(application);
  end if;
  return null;
end $$;
create or replace trigger uploads_arrive after update of status on uploads for each row
  when (old.status = 'pending' and new.status = 'confirmed') execute function kyc_document_arrived();

-- Forgets what a draft says in the place of the profile once the profile is changed.
create or replace function kyc_draft_follows() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update kyc_drafts d set form = d.form - array(select k.field from (values
      ('first_name', old.first_name is distinct from new.first_name),
      ('last_name', old.last_name is distinct from new.last_name),
      ('date_of_birth', old.date_of_birth is distinct from new.date_of_birth),
      ('address', old.address is distinct from new.address)) k(field, is_other) where k.is_other)
    where d.user_id = new.id;
  return null;
end $$;
create or replace trigger users_kyc_draft_follows
  after update of first_name, last_name, date_of_birth, address on users
  for each row execute function kyc_draft_follows();

-- Lets an approval end at another time. Its process is told if that is sooner; otherwise it finds out when it
-- wakes.
create or replace function kyc_ends_at(a kyc_applications, due timestamptz, reason text) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  insert into process_updates (workflow_id, update_id, name, input)
    select a.kind || '/' || a.id, 'due/' || uuidv7(), 'changed', jsonb_build_object('id', a.id)
      where due < a.due_at;
  a.due_at := due;
  a.renewal_reason := reason;
  a.reminders := kyc_renewal_reminders(due);
  perform kyc_keep(a, 'approved', 0);
end $$;

-- Lets the approvals of a customer end when they have to by their risk, which has become another one. Whoever
-- is checked again sooner than they were told is told so.
create or replace function kyc_reschedule(customer uuid) returns void
language plpgsql set search_path = public, pg_temp as $$
declare a kyc_applications; d record; days int;
begin
  select s.kyc_renewal_days into days from bank_settings s;
  for a in select * from kyc_applications x where (x.user_id, x.status) = (customer, 'approved')
      and x.kyb_application_id is null and x.renewal_reason <> 'profile_changed' for no key update loop
    select * into d from kyc_renewal(a);
    if d.due <> a.due_at then
      -- what a bank did before it had ratings may be overdue by now
      d.due := greatest(d.due, least(a.due_at, bank_now() + make_interval(days => days)));
      perform kyc_ends_at(a, d.due, d.reason);
      if kyc_renewal_reminders(d.due) > a.reminders then
        a.renewal_reason := d.reason;
        perform kyc_notify(a, 'renewal');
      end if;
    end if;
  end loop;
end $$;

-- Makes the renewal due of a customer whose profile no longer says what was checked. Taking the change back
-- undoes this once; otherwise the renewal could be put off for ever.
create or replace function kyc_profile_changed() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare a kyc_applications; r record; is_stale boolean;
begin
  select * into a from kyc_applications x where (x.user_id, x.kind, x.status) = (new.id, 'kyc', 'approved')
    and x.kyb_application_id is null for no key update;
  is_stale := kyc_is_stale(a);
  select * into r from kyc_renewal(a);
  if is_stale and a.renewal_reason <> 'profile_changed' then
    perform kyc_ends_at(a, least(a.due_at, r.due),
      case when r.due < a.due_at then r.reason else a.renewal_reason end);
  elsif not is_stale and a.renewal_reason = 'profile_changed' and not a.profile_restored then
    a.profile_restored := true;
    perform kyc_ends_at(a, r.due, r.reason);
  else
    return null;
  end if;
  if is_stale then
    a.renewal_reason := 'profile_changed';
    perform kyc_notify(a, 'renewal');
  end if;
  return null;
end $$;
create or replace trigger users_kyc_profile_changed
  after update of first_name, last_name, date_of_birth, address, country on users for each row
  when ((new.first_name, new.last_name, new.date_of_birth, coalesce(new.address->>'country', new.country))
    is distinct from
    (old.first_name, old.last_name, old.date_of_birth, coalesce(old.address->>'country', old.country)))
  execute function kyc_profile_changed();
