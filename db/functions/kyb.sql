-- Checks of companies: an application of the company, and one of each person whom it names.

-- Returns the application of each person whom that of a company names: the open one, else the newest. Some
-- belong to an earlier application of the company, which has taken them over.
create or replace function kyb_people(a kyc_applications) returns setof kyc_applications
language sql stable set search_path = public, pg_temp as $$
  select distinct on (p.person_ref) p.* from kyc_applications p
    where (p.kyb_application_id = a.id or p.id = any (a.people_kept))
      and p.person_ref in (select x.value->>'ref' from jsonb_array_elements(a.form->'persons') x)
    order by p.person_ref, p.ended_at is null desc, p.created_at desc, p.id desc
$$;
grant execute on function kyb_people to teller_app;

-- Returns whether two forms are about the same person.
create or replace function kyb_is_same_person(before jsonb, after jsonb) returns boolean
language sql immutable as $$
  select (before->'first_name', before->'middle_names', before->'last_name', before->'date_of_birth',
      (select array_agg(n order by n) from jsonb_array_elements_text(before->'nationalities') n))
    is not distinct from (after->'first_name', after->'middle_names', after->'last_name',
      after->'date_of_birth',
      (select array_agg(n order by n) from jsonb_array_elements_text(after->'nationalities') n))
$$;

-- Ends the open applications of people who are none of these any more: [{ref, form}].
create or replace function kyb_end_people(company kyc_applications, people jsonb) returns void
language plpgsql set search_path = public, pg_temp as $$
declare a kyc_applications; was text;
begin
  for a in select * from kyc_applications x where x.kyb_application_id = company.id and x.ended_at is null
      and not exists (select from jsonb_array_elements(people) n
        where n.value->>'ref' = x.person_ref and kyb_is_same_person(x.form, n.value->'form'))
      order by x.id for no key update loop
    was := a.status;
    a.status := 'withdrawn';
    perform kyc_keep(a, was, 0);
  end loop;
end $$;

-- Returns whether the approval of a company's person is as much as a submission asks for, and the identity
-- document has not expired. For the next application of the company it is the same document as before, and
-- does not expire soon; if nobody knows when it expires, the approval is not older than a year.
create or replace function kyb_holds(
  c kyc_applications, form jsonb, required text[], risky boolean, is_own boolean
) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select c.status = 'approved' and required <@ c.required and (c.needs_second or not risky)
      and coalesce(d.expires > bank_day(bank_now()), true)
      and (is_own
        or coalesce(form->'document', c.form->'document') is not distinct from c.form->'document'
          and coalesce(d.expires - (kyc_renewal_days())[1], c.decided_at::date + 365) > bank_day(bank_now()))
    from (select (c.form->'document'->>'expires_on')::date) d(expires)
$$;

-- Submits what somebody says of a company; compliance_apply says what comes of it. people: [{id, ref, form,
-- required}]. A person who is the same as before keeps their application and what was decided about
-- it, unless it has expired or its rejection is not final; the approval of a person is taken over from an
-- earlier application. Everybody else gets a new one. Returns the ids of the new ones.
create or replace function kyb_apply(
  new_id uuid, applicant uuid, said jsonb, needed text[], enhanced text[], level int, document_days int,
  people jsonb, out refusal text, out application uuid, out not_before timestamptz, out begun uuid[]
) language plpgsql security definer set search_path = public, pg_temp as $$
declare a kyc_applications; p record; c kyc_applications; due timestamptz; is_own boolean;
begin
  begun := '{}';
  select s.refusal, s.application, s.not_before into refusal, application, not_before
    from compliance_apply('kyb', new_id, applicant, said, needed, enhanced, level, document_days) s;
  if refusal is not null then return; end if;
  select * into a from kyc_applications x where x.id = application;
  due := bank_now() + make_interval(days => document_days);
  perform kyb_end_people(a, people);
  for p in select x.*, risk_is_by_law('kyc', x.form) as risky from jsonb_to_recordset(people)
      x(id uuid, ref text, form jsonb, required text[]) loop
    select * into c from kyc_applications x where x.person_ref = p.ref
        and (x.kyb_application_id = application or x.id = any (a.people_kept))
      order by x.ended_at is null desc, x.created_at desc, x.id desc limit 1 for no key update;
    is_own := found;
    if not is_own then
      -- what was decided last, under whatever name the form refers to them
      select * into c from kyc_applications x
        where x.user_id = applicant and x.kyb_application_id is not null and x.decided_at is not null
          and x.ended_at is not null and kyb_is_same_person(x.form, p.form)
        order by x.decided_at desc, x.id desc limit 1;
      if c.person_ref <> p.ref then c := null; end if;
    end if;
    if c.ended_at is null and c.id is not null then
      update kyc_applications x set form = p.form, required = p.required,
          needs_second = x.needs_second or p.risky, updated_at = bank_now()
        where x.id = c.id;
      perform kyc_begin_review(c.id);
    elsif kyb_is_same_person(c.form, p.form)
       and (is_own and c.final or kyb_holds(c, p.form, p.required, p.risky, is_own)) then
      update kyc_applications x set people_kept = x.people_kept || c.id
        where x.id = application and not is_own;
    else
      insert into kyc_applications (id, user_id, kyb_application_id, person_ref, form, required, grants,
          needs_second, due_at, look_at)
        values (p.id, applicant, application, p.ref, p.form, p.required, 1, p.risky, due,
          kyc_look_at(bank_now(), due, 0));
      perform kyc_begin_review(p.id);
      begun := begun || p.id;
    end if;
  end loop;
end $$;
grant execute on function kyb_apply to teller_app;
