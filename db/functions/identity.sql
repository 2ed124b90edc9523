-- Sessions, proven addresses and numbers, and what the API's processes are told of changes.

-- Starts a session with its first refresh token and its row in the audit log: a login waits for hashing and
-- should wait for little else, so this is one call, planned once. With checked_hash only the password has
-- been checked: it must still be the user's, and the user must have no second factor on. session_id is null
-- if that is not so, or if the user may not log in or has got another role meanwhile. The user's row stays
-- locked until the transaction ends, so none of it changes meanwhile.
create or replace function start_session(
  person uuid, expected_role text, checked_hash text, second_method text, methods text[], label text,
  agent text, origin text, request text, device bytea, new_device bytea, absolute_seconds double precision,
  token bytea, idle_seconds double precision,
  out session_id uuid, out authenticated timestamptz, out refresh_expires timestamptz,
  out device_known boolean, out first boolean
) language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  session_end timestamptz;
  strong boolean;
begin
  select (u.sms_otp_enabled and u.phone_verified_at is not null)
      or exists (select from totp_factors t where t.user_id = u.id and t.confirmed_at is not null)
    into strong
    from users u
    where u.id = person and u.status = 'active' and u.role = expected_role
      and (checked_hash is null or (u.password_hash = checked_hash
        and not u.email_otp_enabled and not (u.sms_otp_enabled and u.phone_verified_at is not null)
        and not exists (select from totp_factors t where t.user_id = u.id and t.confirmed_at is not null)))
    for share of u;
  if not found then return; end if;
  -- a device is known by a session within a year that is live, expired or was logged out, if no session of
  -- the device was ended for another reason; a change of the password ends all sessions but the one that made
  -- it, so a session that outlived the change speaks for its device
  device_known := device is not null and exists (select from sessions s
    where s.user_id = person and s.device_hash = device and s.created_at > now() - interval '365 days'
      and (s.end_reason is null or s.end_reason = 'logout')
      and not exists (select from sessions d
        where d.user_id = person and d.device_hash = device and d.end_reason <> 'logout'
          and not (d.end_reason = 'password_changed'
            and (s.ended_at is null or s.ended_at > d.ended_at))));
  first := not exists (select from sessions s where s.user_id = person);
  insert into sessions (user_id, device_label, user_agent, address, amr, proved_at, device_hash, expires_at)
    values (person, label, agent, origin, methods,
      -- whoever reads the mail must not exchange what is stronger than the mail
      case when cardinality(methods) > 1 and not (strong and second_method = 'email_otp') then now() end,
      case when device_known then device else new_device end,
      now() + make_interval(secs => absolute_seconds))
    returning id, authenticated_at, expires_at into session_id, authenticated, session_end;
  insert into refresh_tokens (session_id, token_hash, expires_at)
    values (start_session.session_id, token, least(session_end, now() + make_interval(secs => idle_seconds)))
    returning expires_at into refresh_expires;
  insert into audit_log
      (actor_id, actor_role, action, subject_type, subject_id, after, request_id, address)
    values (person, expected_role, 'session.started', 'user', person,
      jsonb_strip_nulls(jsonb_build_object('session', session_id, 'method', second_method)), request, origin);
end $$;
grant execute on function start_session to teller_app;

-- Gives a person an address that they have proven. Returns false if somebody else has it by now, or takes it
-- at the same moment; the caller's transaction goes on. Whoever proves their present address again has not
-- changed it, and it is not their first proof any more, which alone counts for all sessions.
create or replace function take_email(person uuid, new_email text) returns boolean language plpgsql as $$
begin
  update users
    set email = new_email, email_verified_at = now(), updated_at = bank_now(),
      email_changed_at = case when email = new_email then coalesce(email_changed_at, created_at)
        else bank_now() end
    where id = person;
  return found;
exception when unique_violation then
  return false;
end $$;
grant execute on function take_email to teller_app;

-- Gives a person a number that they have proven; as take_email.
create or replace function take_phone(person uuid, new_phone text) returns boolean language plpgsql as $$
begin
  update users set phone = new_phone, phone_verified_at = now(), updated_at = bank_now() where id = person;
  return found;
exception when unique_violation then
  return false;
end $$;
grant execute on function take_phone to teller_app;

-- Tells the API's processes what to drop from their memory: "user:{id}", "session:{id}" or "keys:{kid}", ids
-- only.
create or replace function notify_identity() returns trigger language plpgsql as $$
begin
  perform pg_notify('teller_identity',
    tg_argv[0] || ':' || (to_jsonb(coalesce(new, old)) ->> tg_argv[1]));
  return null;
end $$;

-- a refresh changes nothing that is kept in memory, so it does not notify: each NOTIFY takes a global lock at
-- commit
create or replace trigger sessions_notify after update of ended_at on sessions
  for each row execute function notify_identity('session', 'id');
create or replace trigger users_notify after update on users for each row
  when (old.status is distinct from new.status or old.role is distinct from new.role
    or old.locale is distinct from new.locale)
  execute function notify_identity('user', 'id');
create or replace trigger user_permissions_notify after insert or delete on user_permissions
  for each row execute function notify_identity('user', 'user_id');
create or replace trigger signing_keys_notify after insert or update or delete on signing_keys
  for each row execute function notify_identity('keys', 'kid');
