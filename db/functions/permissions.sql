-- Who is let in to the back office and what they may do there. The application can neither grant, promote nor
-- block but through these functions: each asks anew, under one lock, whether the acting person may.

-- Grants permissions. The actor must hold permissions:write and everything that they grant; nobody changes
-- their own. Returns the permissions before and after, or a refusal with the permission that is missing.
create or replace function permissions_grant(
  actor uuid, target uuid, wanted text[],
  out before text[], out after text[], out refusal text, out missing text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare person users;
begin
  perform lock_permissions();
  select * into person from users where id = target;
  missing := missing_action(actor, array['permissions:write'] || wanted);
  refusal := case
    when person.id is null then 'not_found'
    when actor = target then 'same_person'
    when missing is not null then 'permission_not_held'
    when person.role <> 'admin' then 'not_an_admin' end;
  if refusal is not null then return; end if;
  before := actions_of(target);
  insert into user_permissions (user_id, action, granted_by)
    select target, unnest(wanted), actor on conflict do nothing;
  after := actions_of(target);
end $$;
grant execute on function permissions_grant to teller_app;

-- Takes permissions away; as permissions_grant.
create or replace function permissions_revoke(
  actor uuid, target uuid, unwanted text[],
  out before text[], out after text[], out refusal text, out missing text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare person users;
begin
  perform lock_permissions();
  select * into person from users where id = target;
  missing := missing_action(actor, array['permissions:write']);
  refusal := case
    when person.id is null then 'not_found'
    when actor = target then 'same_person'
    when missing is not null then 'permission_not_held' end;
  if refusal is not null then return; end if;
  before := actions_of(target);
  delete from user_permissions where user_id = target and action = any (unwanted);
  after := actions_of(target);
end $$;
grant execute on function permissions_revoke to teller_app;

-- Makes a customer an administrator with these permissions. Returns a refusal with the permission that is
-- missing.
create or replace function user_promote(
  actor uuid, target uuid, wanted text[], out refusal text, out missing text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare person users;
begin
  perform lock_permissions();
  select * into person from users where id = target for no key update;
  missing := missing_action(actor, array['permissions:write'] || wanted);
  refusal := case
    when person.id is null then 'not_found'
    when actor = target then 'same_person'
    when missing is not null then 'permission_not_held'
    when person.role = 'admin' then 'already_an_admin'
    when person.status <> 'active' then 'conflict' end;
  if refusal is not null then return; end if;
  update users set role = 'admin', updated_at = bank_now() where id = target;
  insert into empowerments (person_id, empowered_by, kind) values (target, actor, 'promoted');
  insert into user_permissions (user_id, action, granted_by)
    select target, unnest(wanted), actor on conflict do nothing;
end $$;
grant execute on function user_promote to teller_app;

-- Blocks a person or lets them in again. An administrator who was invited and never came is pending again
-- once unblocked. To keep an administrator out for good, take all their permissions. Returns the status
-- before and after, or a refusal.
create or replace function user_set_status(
  actor uuid, target uuid, wanted text, out before text, out after text, out refusal text, out missing text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare person users;
begin
  if wanted not in ('active', 'blocked') then raise exception 'no such status to set'; end if;
  perform lock_permissions();
  select * into person from users where id = target for no key update;
  missing := missing_action(actor,
    array['users:write'] || case person.role when 'admin' then array['permissions:write'] end);
  before := person.status;
  after := case when wanted = 'active' and person.password_hash is null then 'pending' else wanted end;
  refusal := case
    when person.id is null then 'not_found'
    when actor = target then 'same_person'
    when missing is not null then 'permission_not_held' end;
  if refusal is null and before <> after then
    update users set status = after, updated_at = bank_now() where id = target;
  end if;
end $$;
grant execute on function user_set_status to teller_app;

-- Accepts an invitation, once and only while the person is pending. Returns the person's id, or null.
create or replace function invitation_accept(hash bytea, password text, out person uuid)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update admin_invitations i set accepted_at = now()
    from users u where i.token_hash = hash and i.accepted_at is null and i.expires_at > now()
      and u.id = i.user_id and u.status = 'pending' and u.password_hash is null
    returning i.user_id into person;
  update users
    set password_hash = password, status = 'active', email_verified_at = now(), updated_at = bank_now()
    where id = person;
end $$;
grant execute on function invitation_accept to teller_app;

-- Makes changes of permissions follow one another: each sees what the one before has left.
create or replace function lock_permissions() returns void
language sql as 'select pg_advisory_xact_lock(7355609)';

-- Returns the first of these permissions that a person does not hold, or may not use; null if all are held.
create or replace function missing_action(person uuid, wanted text[]) returns text
language sql stable set search_path = public, pg_temp as $$
  select w.action from unnest(wanted) with ordinality w(action, place)
    where not exists (select from user_permissions p join users u on u.id = p.user_id
      where p.user_id = person and p.action = w.action and u.status = 'active' and u.role = 'admin')
    order by w.place limit 1
$$;
grant execute on function missing_action to teller_app;

-- Returns a person's permissions in order.
create or replace function actions_of(person uuid) returns text[]
language sql stable set search_path = public, pg_temp as $$
  select coalesce(array_agg(action order by action), '{}') from user_permissions where user_id = person
$$;

-- Refuses at commit what would leave nobody able to grant. The functions above leave the acting person in
-- place, so they cannot get here: this stands against everything else.
create or replace function keep_a_holder() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(7355609);
  if not exists (select from user_permissions p join users u on u.id = p.user_id
      where p.action = 'permissions:write' and u.status = 'active' and u.role = 'admin') then
    raise exception 'somebody must be able to grant'
      using errcode = 'restrict_violation', constraint = 'permissions_have_a_holder';
  end if;
  return null;
end $$;

-- "or replace" does not exist for constraint triggers
drop trigger if exists user_permissions_keep_a_holder on user_permissions;
create constraint trigger user_permissions_keep_a_holder after update or delete on user_permissions
  deferrable initially deferred for each row
  when (old.action = 'permissions:write') execute function keep_a_holder();
drop trigger if exists users_keep_a_holder on users;
create constraint trigger users_keep_a_holder after update on users
  deferrable initially deferred for each row
  when (old.role = 'admin' and old.status = 'active' and (new.role <> 'admin' or new.status <> 'active'))
  execute function keep_a_holder();
