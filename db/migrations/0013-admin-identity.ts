import { Migration } from '@mikro-orm/migrations';

/**
 * Who is let in to the back office and what they may do there. The application can neither grant, promote nor block but through
 * the functions below: each asks anew, under one lock, whether the one who acts may. What is known of a person's identity (KYC)
 * gets its place, and people can be found by what they are called.
 */
export class AdminIdentity extends Migration {
  override up(): void {
    this.addSql(known);
    this.addSql(found);
    this.addSql(sessionEnds);
    this.addSql(invitations);
    this.addSql(rules);
    this.addSql(grants);
    this.addSql(standing);
    this.addSql(lastHolder);
    this.addSql(auditLog);
  }
}

const known = `
  -- how far a customer is identified: 0 says not at all; written by the reviews to come, so not by the application
  alter table users
    add column if not exists kyc_level smallint not null default 0,
    add column if not exists kyc_status text not null default 'none' check (kyc_status in
      ('none', 'draft', 'submitted', 'in_review', 'changes_requested', 'approved', 'rejected', 'skipped', 'expired'));
`;

const found = `
  -- both are trusted extensions: the owner of the database may add them
  create extension if not exists pg_trgm;
  create extension if not exists unaccent;

  -- one form of a text in any script, whatever its case and accents: Łódź and lodz, Straße and STRASSE, Ёлка and елка
  create function search_form(given text) returns text language sql immutable strict parallel safe
  set search_path = public, pg_temp as $$
    select regexp_replace(normalize(casefold(unaccent('public.unaccent'::regdictionary, normalize(given, nfkc)) collate pg_unicode_fast), nfkd),
      '[' || chr(768) || '-' || chr(879) || ']', '', 'g')
  $$;
  alter table users add column search_text text generated always as
    (search_form(first_name || ' ' || last_name || ' ' || email || ' ' || coalesce(phone, ''))) stored;
  create index users_search on users using gin (search_text gin_trgm_ops);
  create index users_by_status on users (status, id);
  create index users_by_role on users (role, id);
  create index users_by_kyc on users (kyc_status, id);
`;

const sessionEnds = `
  alter table sessions drop constraint sessions_end_reason_check;
  alter table sessions add constraint sessions_end_reason_check check (end_reason in
    ('logout', 'refresh_reuse', 'password_changed', 'user_blocked', 'ended_by_user', 'role_changed'));
`;

const invitations = `
  -- a new administrator sets the password themselves; an invitation that is sent again takes the place of the one before
  create table admin_invitations (
    user_id uuid primary key references users,
    -- SHA-256 of 256 random bits
    token_hash bytea not null unique check (octet_length(token_hash) = 32),
    invited_by uuid not null references users,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null check (expires_at > created_at),
    accepted_at timestamptz(3),
    constraint admin_invitations_not_by_oneself check (invited_by <> user_id)
  );
  grant select, insert, update (token_hash, invited_by, created_at, expires_at) on admin_invitations to teller_app;

  -- the invited person's id, or null; only who waits, and only once
  create function invitation_accept(hash bytea, password text, out person uuid)
  language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    update admin_invitations i set accepted_at = now()
      from users u where i.token_hash = hash and i.accepted_at is null and i.expires_at > now()
        and u.id = i.user_id and u.status = 'pending' and u.password_hash is null
      returning i.user_id into person;
    update users set password_hash = password, status = 'active', email_verified_at = now(), updated_at = now() where id = person;
  end $$;
  revoke execute on function invitation_accept from public;
  grant execute on function invitation_accept to teller_app;
`;

const rules = `
  -- changes of who may do what follow one another: each sees what the one before has left
  create function lock_permissions() returns void language sql as 'select pg_advisory_xact_lock(7355609)';

  -- the first of these actions that somebody does not hold, or may not use; null where all are held
  create function missing_action(person uuid, wanted text[]) returns text language sql stable set search_path = public, pg_temp as $$
    select w.action from unnest(wanted) with ordinality w(action, place)
      where not exists (select from user_permissions p join users u on u.id = p.user_id
        where p.user_id = person and p.action = w.action and u.status = 'active' and u.role = 'admin')
      order by w.place limit 1
  $$;
  create function actions_of(person uuid) returns text[] language sql stable set search_path = public, pg_temp as $$
    select coalesce(array_agg(action order by action), '{}') from user_permissions where user_id = person
  $$;
  revoke execute on function lock_permissions, missing_action, actions_of from public;
`;

const grants = `
  -- by command, that is: by the owner of the tables
  revoke insert on user_permissions from teller_app;

  -- refusal and missing: who grants must hold permissions:write and what they grant; nobody changes their own
  create function permissions_grant(actor uuid, target uuid, wanted text[],
    out before text[], out after text[], out refusal text, out missing text)
  language plpgsql security definer set search_path = public, pg_temp as $$
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
  end $$;

  create function permissions_revoke(actor uuid, target uuid, unwanted text[],
    out before text[], out after text[], out refusal text, out missing text)
  language plpgsql security definer set search_path = public, pg_temp as $$
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

  revoke execute on function permissions_grant, permissions_revoke from public;
  grant execute on function permissions_grant, permissions_revoke to teller_app;
`;

const standing = `
  create function user_promote(actor uuid, target uuid, wanted text[], out refusal text, out missing text)
  language plpgsql security definer set search_path = public, pg_temp as $$
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
  end $$;

  -- who was invited and never came is pending again once unblocked; to keep an administrator out is to take all they hold
  create function user_set_status(actor uuid, target uuid, wanted text,
    out before text, out after text, out refusal text, out missing text)
  language plpgsql security definer set search_path = public, pg_temp as $$
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
  end $$;

  revoke execute on function user_promote, user_set_status from public;
  grant execute on function user_promote, user_set_status to teller_app;
`;

/** The functions above leave the one who acts in place, so they cannot get here: it stands against everything else. */
const lastHolder = `
  create function keep_a_holder() returns trigger language plpgsql set search_path = public, pg_temp as $$
  begin
    perform pg_advisory_xact_lock(7355609);
    if not exists (select from user_permissions p join users u on u.id = p.user_id
        where p.action = 'permissions:write' and u.status = 'active' and u.role = 'admin') then
      raise exception 'somebody must be able to grant' using errcode = 'restrict_violation', constraint = 'permissions_have_a_holder';
    end if;
    return null;
  end $$;
  create constraint trigger user_permissions_keep_a_holder after delete or update on user_permissions
    deferrable initially deferred for each row when (old.action = 'permissions:write') execute function keep_a_holder();
  create constraint trigger users_keep_a_holder after update on users
    deferrable initially deferred for each row
    when (old.role = 'admin' and old.status = 'active' and (new.role <> 'admin' or new.status <> 'active'))
    execute function keep_a_holder();
`;

const auditLog = `
  create index audit_log_action on audit_log (action, id);
`;
