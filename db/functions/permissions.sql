CREATE OR REPLACE FUNCTION public.permissions_grant(actor uuid, target uuid, wanted text[], OUT before text[], OUT after text[], OUT refusal text, OUT missing text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
    insert into user_permissions (user_id, action, granted_by) select target, unnest(wanted), actor on conflict do nothing;
    after := actions_of(target);
  end $function$;
revoke execute on function permissions_grant from public;
grant execute on function permissions_grant to teller_app;

CREATE OR REPLACE FUNCTION public.permissions_revoke(actor uuid, target uuid, unwanted text[], OUT before text[], OUT after text[], OUT refusal text, OUT missing text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
  end $function$;
revoke execute on function permissions_revoke from public;
grant execute on function permissions_revoke to teller_app;

CREATE OR REPLACE FUNCTION public.user_promote(actor uuid, target uuid, wanted text[], OUT refusal text, OUT missing text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
    update users set role = 'admin', updated_at = now() where id = target;
    insert into user_permissions (user_id, action, granted_by) select target, unnest(wanted), actor on conflict do nothing;
  end $function$;
revoke execute on function user_promote from public;
grant execute on function user_promote to teller_app;

CREATE OR REPLACE FUNCTION public.user_set_status(actor uuid, target uuid, wanted text, OUT before text, OUT after text, OUT refusal text, OUT missing text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  declare person users;
  begin
    if wanted not in ('active', 'blocked') then raise exception 'no such status to set'; end if;
    perform lock_permissions();
    select * into person from users where id = target for no key update;
    missing := missing_action(actor, array['users:write'] || case person.role when 'admin' then array['permissions:write'] end);
    before := person.status;
    after := case when wanted = 'active' and person.password_hash is null then 'pending' else wanted end;
    refusal := case
      when person.id is null then 'not_found'
      when actor = target then 'same_person'
      when missing is not null then 'permission_not_held' end;
    if refusal is null and before <> after then
      update users set status = after, updated_at = now() where id = target;
    end if;
  end $function$;
revoke execute on function user_set_status from public;
grant execute on function user_set_status to teller_app;

CREATE OR REPLACE FUNCTION public.invitation_accept(hash bytea, password text, OUT person uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    update admin_invitations i set accepted_at = now()
      from users u where i.token_hash = hash and i.accepted_at is null and i.expires_at > now()
        and u.id = i.user_id and u.status = 'pending' and u.password_hash is null
      returning i.user_id into person;
    update users set password_hash = password, status = 'active', email_verified_at = now(), updated_at = now() where id = person;
  end $function$;
revoke execute on function invitation_accept from public;
grant execute on function invitation_accept to teller_app;

CREATE OR REPLACE FUNCTION public.lock_permissions()
 RETURNS void
 LANGUAGE sql
AS $function$select pg_advisory_xact_lock(7355609)$function$;
revoke execute on function lock_permissions from public;

CREATE OR REPLACE FUNCTION public.missing_action(person uuid, wanted text[])
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select w.action from unnest(wanted) with ordinality w(action, place)
      where not exists (select from user_permissions p join users u on u.id = p.user_id
        where p.user_id = person and p.action = w.action and u.status = 'active' and u.role = 'admin')
      order by w.place limit 1
  $function$;
revoke execute on function missing_action from public;

CREATE OR REPLACE FUNCTION public.actions_of(person uuid)
 RETURNS text[]
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select coalesce(array_agg(action order by action), '{}') from user_permissions where user_id = person
  $function$;
revoke execute on function actions_of from public;

CREATE OR REPLACE FUNCTION public.keep_a_holder()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    perform pg_advisory_xact_lock(7355609);
    if not exists (select from user_permissions p join users u on u.id = p.user_id
        where p.action = 'permissions:write' and u.status = 'active' and u.role = 'admin') then
      raise exception 'somebody must be able to grant' using errcode = 'restrict_violation', constraint = 'permissions_have_a_holder';
    end if;
    return null;
  end $function$;
drop trigger if exists user_permissions_keep_a_holder on user_permissions;
CREATE CONSTRAINT TRIGGER user_permissions_keep_a_holder AFTER DELETE OR UPDATE ON public.user_permissions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.action = 'permissions:write'::text)) EXECUTE FUNCTION keep_a_holder();
drop trigger if exists users_keep_a_holder on users;
CREATE CONSTRAINT TRIGGER users_keep_a_holder AFTER UPDATE ON public.users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.role = 'admin'::text) AND (old.status = 'active'::text) AND ((new.role <> 'admin'::text) OR (new.status <> 'active'::text)))) EXECUTE FUNCTION keep_a_holder();
