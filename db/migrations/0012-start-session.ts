import { Migration } from '@mikro-orm/migrations';

/** A login waits for hashing, and should wait for little else: what begins a session is one call, planned once. */
export class StartSession extends Migration {
  override up(): void {
    this.addSql(`
      -- Starts a session with its first refresh token and its row in the audit log. With checked_hash the password alone has been
      -- checked: it must still be the user's, who must have no second factor on. session_id is null where that is not so, or the
      -- user may not come in, or was promoted meanwhile; the user's row stays locked until the transaction ends, so none of it changes meanwhile.
      create function start_session(
        person uuid, expected_role text, checked_hash text, second_method text, methods text[], label text, agent text, origin text, request text,
        device bytea, new_device bytea, absolute_seconds double precision, token bytea, idle_seconds double precision,
        out session_id uuid, out authenticated timestamptz, out refresh_expires timestamptz,
        out device_known boolean, out first boolean
      ) language plpgsql as $$
      declare
        session_end timestamptz;
      begin
        perform from users u
          where u.id = person and u.status = 'active' and u.role = expected_role and (checked_hash is null or (u.password_hash = checked_hash
            and not u.email_otp_enabled and not (u.sms_otp_enabled and u.phone_verified_at is not null)
            and not exists (select from totp_factors t where t.user_id = u.id and t.confirmed_at is not null)))
          for share of u;
        if not found then return; end if;
        -- a session from this device within a year that nobody ended as a stranger's
        device_known := device is not null and exists (select from sessions s
          where s.user_id = person and s.device_hash = device and s.created_at > now() - interval '365 days'
            and (s.end_reason is null or s.end_reason = 'logout'));
        first := not exists (select from sessions s where s.user_id = person);
        insert into sessions (user_id, device_label, user_agent, address, amr, proved_at, device_hash, expires_at)
          values (person, label, agent, origin, methods, case when cardinality(methods) > 1 then now() end,
            case when device_known then device else new_device end, now() + make_interval(secs => absolute_seconds))
          returning id, authenticated_at, expires_at into session_id, authenticated, session_end;
        insert into refresh_tokens (session_id, token_hash, expires_at)
          values (start_session.session_id, token, least(session_end, now() + make_interval(secs => idle_seconds)))
          returning expires_at into refresh_expires;
        insert into audit_log (actor_id, actor_role, action, subject_type, subject_id, after, request_id, address)
          values (person, expected_role, 'session.started', 'user', person,
            jsonb_strip_nulls(jsonb_build_object('session', session_id, 'method', second_method)), request, origin);
      end $$;
      revoke execute on function start_session from public;
      grant execute on function start_session to teller_app;
    `);
  }
}
