CREATE OR REPLACE FUNCTION public.start_session(person uuid, expected_role text, checked_hash text, second_method text, methods text[], label text, agent text, origin text, request text, device bytea, new_device bytea, absolute_seconds double precision, token bytea, idle_seconds double precision, OUT session_id uuid, OUT authenticated timestamp with time zone, OUT refresh_expires timestamp with time zone, OUT device_known boolean, OUT first boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  declare
    session_end timestamptz;
    strong boolean;
  begin
    select (u.sms_otp_enabled and u.phone_verified_at is not null)
        or exists (select from totp_factors t where t.user_id = u.id and t.confirmed_at is not null)
      into strong
      from users u
      where u.id = person and u.status = 'active' and u.role = expected_role and (checked_hash is null or (u.password_hash = checked_hash
        and not u.email_otp_enabled and not (u.sms_otp_enabled and u.phone_verified_at is not null)
        and not exists (select from totp_factors t where t.user_id = u.id and t.confirmed_at is not null)))
      for share of u;
    if not found then return; end if;
    -- a session from this device within a year, and none that ended otherwise than by its own logout or its time; a change of the
    -- password ends all sessions but the one that made it, so whichever outlived it speaks for its device
    device_known := device is not null and exists (select from sessions s
      where s.user_id = person and s.device_hash = device and s.created_at > now() - interval '365 days'
        and (s.end_reason is null or s.end_reason = 'logout')
        and not exists (select from sessions d
          where d.user_id = person and d.device_hash = device and d.end_reason <> 'logout'
            and not (d.end_reason = 'password_changed' and (s.ended_at is null or s.ended_at > d.ended_at))));
    first := not exists (select from sessions s where s.user_id = person);
    insert into sessions (user_id, device_label, user_agent, address, amr, proved_at, device_hash, expires_at)
      values (person, label, agent, origin, methods,
        -- whoever reads the mail must not exchange what is stronger than the mail
        case when cardinality(methods) > 1 and not (strong and second_method = 'email_otp') then now() end,
        case when device_known then device else new_device end, now() + make_interval(secs => absolute_seconds))
      returning id, authenticated_at, expires_at into session_id, authenticated, session_end;
    insert into refresh_tokens (session_id, token_hash, expires_at)
      values (start_session.session_id, token, least(session_end, now() + make_interval(secs => idle_seconds)))
      returning expires_at into refresh_expires;
    insert into audit_log (actor_id, actor_role, action, subject_type, subject_id, after, request_id, address)
      values (person, expected_role, 'session.started', 'user', person,
        jsonb_strip_nulls(jsonb_build_object('session', session_id, 'method', second_method)), request, origin);
  end $function$;
revoke execute on function start_session from public;
grant execute on function start_session to teller_app;

CREATE OR REPLACE FUNCTION public.take_email(person uuid, new_email text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
  begin
    update users set email = new_email, email_verified_at = now(), email_changed_at = now(), updated_at = now() where id = person;
    return found;
  exception when unique_violation then
    return false;
  end $function$;

CREATE OR REPLACE FUNCTION public.take_phone(person uuid, new_phone text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
  begin
    update users set phone = new_phone, phone_verified_at = now(), updated_at = now() where id = person;
    return found;
  exception when unique_violation then
    return false;
  end $function$;

CREATE OR REPLACE FUNCTION public.notify_identity()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    perform pg_notify('teller_identity', tg_argv[0] || ':' || (to_jsonb(coalesce(new, old)) ->> tg_argv[1]));
    return null;
  end $function$;
CREATE OR REPLACE TRIGGER sessions_notify AFTER UPDATE OF ended_at ON public.sessions FOR EACH ROW EXECUTE FUNCTION notify_identity('session', 'id');
CREATE OR REPLACE TRIGGER users_notify AFTER UPDATE ON public.users FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) OR (old.role IS DISTINCT FROM new.role) OR (old.locale IS DISTINCT FROM new.locale))) EXECUTE FUNCTION notify_identity('user', 'id');
CREATE OR REPLACE TRIGGER user_permissions_notify AFTER INSERT OR DELETE ON public.user_permissions FOR EACH ROW EXECUTE FUNCTION notify_identity('user', 'user_id');
CREATE OR REPLACE TRIGGER signing_keys_notify AFTER INSERT OR DELETE OR UPDATE ON public.signing_keys FOR EACH ROW EXECUTE FUNCTION notify_identity('keys', 'kid');
