-- Whether two administrators are two pairs of eyes, and who has made whom one.

-- Returns whether `checker` may be the second pair of eyes for what `maker` has asked for. Neither may have
-- created, promoted or empowered the other, or somebody in between, nor may the same person have made both,
-- unless a third person has countersigned the step. Administrators who were made by command depend on nobody.
-- False for nobody.
create or replace function independent_of(checker uuid, maker uuid) returns boolean
language sql stable set search_path = public, pg_temp as $$
  with recursive made_by(person, by) as (
    select e.person_id, e.empowered_by from empowerments e
      where e.person_id in (checker, maker) and e.countersigned_by is null
    union
    select m.person, e.empowered_by from made_by m
      join empowerments e on e.person_id = m.by and e.countersigned_by is null)
  select coalesce(checker <> maker, false) and not exists (
    select from made_by m where (m.person, m.by) in ((checker, maker), (maker, checker)))
    and not exists (select from made_by c join made_by m on m.by = c.by
      where c.person = checker and m.person = maker)
$$;
grant execute on function independent_of to teller_app;

-- Returns the administrators who could approve what `maker` asks for with this permission. `concerned` gains
-- by it and does not decide; null for nobody.
create or replace function checkers_for(maker uuid, needed text, concerned uuid)
returns table (id uuid, email text, locale text)
language sql stable set search_path = public, pg_temp as $$
  select u.id, u.email, u.locale from user_permissions p join users u on u.id = p.user_id
    where p.action = needed and u.role = 'admin' and u.status = 'active'
      and u.id is distinct from concerned and independent_of(u.id, maker)
$$;
grant execute on function checkers_for to teller_app;

-- The actions with which somebody can be the second pair of eyes, or can make another one. As
-- domain/identity/deciding-actions.ts.
create or replace function deciding_actions() returns text[] language sql immutable parallel safe
  return array['account_types:write', 'accounts:review', 'accounts:write', 'aml:review', 'aml:write',
    'cards:write', 'compliance:review', 'crypto:write',
    'fees:write', 'fx:write', 'permissions:write', 'transfers:configure', 'transfers:review', 'users:write'];
grant execute on function deciding_actions to teller_app;

-- Writes down who has made an administrator; nobody, if it was done by command.
create or replace function note_new_admin() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- asked again: the statement that inserts might have named somebody else meanwhile
  if by_application() then
    perform require_action(acting_person(), 'users:write');
    insert into empowerments (person_id, empowered_by, kind) values (new.id, acting_person(), 'created');
  end if;
  return null;
end $$;

create or replace trigger users_admin_empower after insert on users
  for each row when (new.role = 'admin') execute function note_new_admin();
-- as long as the invitation said so
drop trigger if exists admin_invitations_empower on admin_invitations;
drop function if exists note_invitation();

-- Writes down who has granted an action that decides.
create or replace function note_grant() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.action = any (deciding_actions()) then
    insert into empowerments (person_id, empowered_by, kind, action)
      values (new.user_id, new.granted_by, 'granted', new.action);
  end if;
  return null;
end $$;

create or replace trigger user_permissions_empower after insert on user_permissions
  for each row when (new.granted_by is not null) execute function note_grant();

-- Notes that `checker` has countersigned how a person became an administrator: all steps by people who are
-- not the checker and of whom the checker is independent.
create or replace function countersign_empowerments(person uuid, checker uuid) returns void
language sql set search_path = public, pg_temp as $$
  update empowerments e set countersigned_by = checker, countersigned_at = bank_now()
    where e.person_id = person and e.countersigned_by is null and checker <> person
      and independent_of(checker, e.empowered_by)
$$;

-- Refuses a change of a step, but for its countersignature, which is written once.
create or replace function check_empowerment_change() returns trigger language plpgsql as $$
begin
  if old.countersigned_by is not null
     or (new.id, new.person_id, new.empowered_by, new.kind, new.action, new.created_at) is distinct from
        (old.id, old.person_id, old.empowered_by, old.kind, old.action, old.created_at) then
    raise exception 'who has made whom an administrator stands' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger empowerments_change before update on empowerments
  for each row execute function check_empowerment_change();
create or replace trigger empowerments_never_deleted before delete on empowerments
  for each row execute function refuse_change();
create or replace trigger empowerments_no_truncate before truncate on empowerments
  for each statement execute function refuse_change();
