import { Migration } from '@mikro-orm/migrations';

/**
 * What a person changes about their login: address and number (proven before they replace the old ones), a forgotten password,
 * the devices they log in from. Codes can be sent again, and it is known since when a key signs.
 */
export class ContactChanges extends Migration {
  override up(): void {
    this.addSql(challenges);
    this.addSql(contactChanges);
    this.addSql(devices);
    this.addSql(`
      -- a rotation that is tried again after a crash finds that it has happened
      alter table signing_keys add column signing_since timestamptz(3);
      update signing_keys set signing_since = created_at where state <> 'next';
      grant update (signing_since) on signing_keys to teller_app;
    `);
  }
}

const challenges = `
  alter table challenges drop constraint challenges_purpose_check;
  alter table challenges add constraint challenges_purpose_check check (purpose in
    ('verify_email', 'verify_phone', 'login', 'step_up', 'reset_password', 'change_email', 'change_phone'));
  alter table challenges
    -- the code was sent so many times more; wrong guesses go on being counted
    add column resends smallint not null default 0 constraint challenges_resends check (resends between 0 and 3),
    add column sent_at timestamptz(3) not null default now(),
    -- the device that a login came from, as it named itself
    add column device_hash bytea check (octet_length(device_hash) = 32);
  grant update (code_mac, resends, sent_at, expires_at) on challenges to teller_app;
`;

const contactChanges = `
  -- an address or a number that waits to be proven; it may be somebody else's, so it is sealed
  create table contact_changes (
    id uuid primary key default uuidv7(),
    user_id uuid not null references users,
    kind text not null check (kind in ('email', 'phone')),
    sealed_value bytea not null,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null check (expires_at > created_at),
    -- a later wish takes the place of an earlier one
    unique (user_id, kind)
  );
  create index contact_changes_expires_at on contact_changes (expires_at);
  grant select, insert, delete on contact_changes to teller_app;

  -- a changed address is proven, but says nothing about who holds the password (see hasFreshProof)
  alter table users add column email_changed_at timestamptz(3);
  grant update (email_changed_at) on users to teller_app;

  -- false where somebody else has it by now, also at the same moment; the caller's transaction goes on
  create function take_email(person uuid, new_email text) returns boolean language plpgsql as $$
  begin
    update users set email = new_email, email_verified_at = now(), email_changed_at = now(), updated_at = now() where id = person;
    return found;
  exception when unique_violation then
    return false;
  end $$;
  create function take_phone(person uuid, new_phone text) returns boolean language plpgsql as $$
  begin
    update users set phone = new_phone, phone_verified_at = now(), updated_at = now() where id = person;
    return found;
  exception when unique_violation then
    return false;
  end $$;
`;

const devices = `
  -- SHA-256 of the 256 random bits that a device keeps
  alter table sessions add column device_hash bytea check (octet_length(device_hash) = 32);
  create index sessions_devices on sessions (user_id, device_hash) where device_hash is not null;
  -- the list of one's own sessions, newest first
  create index sessions_of_user on sessions (user_id, id desc);
  -- a second factor that is set up in a session has been proven in it
  grant update (amr) on sessions to teller_app;
`;
