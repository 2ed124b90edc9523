import { Migration } from '@mikro-orm/migrations';

/** What every part stands on: whole minor units, append-only tables, remembered requests, the outbox, the audit log. */
export class Foundation extends Migration {
  override up(): void {
    this.addSql(`
      grant usage on schema public to teller_app;

      -- numeric(38,0) would silently round 1.5 to 2; a domain over numeric refuses it
      create domain minor as numeric check (value = trunc(value) and abs(value) < 1e38);

      create function refuse_change() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
      end $$;

      create table idempotency_keys (
        caller text not null,
        operation text not null,
        key text not null check (char_length(key) between 1 and 255),
        resource_id uuid not null unique,
        request_hmac bytea not null,
        refusal jsonb,
        status smallint,
        answer text,
        created_at timestamptz(3) not null default now(),
        expires_at timestamptz(3),
        primary key (caller, operation, key)
      );
      create index idempotency_keys_expires_at on idempotency_keys (expires_at) where expires_at is not null;
      grant select, insert, update, delete on idempotency_keys to teller_app;

      create table process_outbox (
        workflow_id text primary key,
        process text not null,
        input jsonb not null,
        created_at timestamptz(3) not null default now()
      );
      create index process_outbox_created_at on process_outbox (created_at);
      grant select, insert, delete on process_outbox to teller_app;

      create table audit_log (
        id uuid primary key default uuidv7(),
        at timestamptz(3) not null default now(),
        actor_id uuid,
        actor_role text not null check (actor_role in ('customer', 'admin', 'system')),
        action text not null,
        subject_type text not null,
        subject_id text not null,
        before jsonb,
        after jsonb,
        reason text,
        request_id text,
        address text
      );
      create index audit_log_subject on audit_log (subject_type, subject_id, id);
      create index audit_log_actor on audit_log (actor_id, id);
      create trigger audit_log_append_only before update or delete on audit_log for each row execute function refuse_change();
      create trigger audit_log_no_truncate before truncate on audit_log for each statement execute function refuse_change();
      grant select, insert on audit_log to teller_app;
    `);
  }
}
