import { Migration } from '@mikro-orm/migrations';

/** Accounts as a bank keeps them: IBANs, fuller types, requests that are reviewed, and flags of the money-laundering watch. */
export class Accounts extends Migration {
  override up(): void {
    this.addSql(accountTypes);
    this.addSql(ibans);
    this.addSql(openAccount);
    this.addSql(requests);
    this.addSql(amlFlags);
  }
}

const accountTypes = `
  alter table account_types
    -- what must stay on an account once it is there; the opposite of an overdraft, so a type has one or the other
    add column min_balance minor not null default 0 check (min_balance >= 0),
    -- 0 none, 1 basic, 2 full: what the customer must have proven to open one
    add column kyc_level_required smallint not null default 0 check (kyc_level_required between 0 and 2),
    add column monthly_fee_rule_id uuid,
    add constraint account_types_limits_fit check ((min_balance = 0 or overdraft_limit = 0) and max_balance > min_balance);
  -- code and asset stand for ever: accounts of the type have them
  revoke update on account_types from teller_app;
  grant update (name, openable_by, min_balance, max_balance, overdraft_limit, kyc_level_required, monthly_fee_rule_id, enabled, updated_at)
    on account_types to teller_app;
`;

/**
 * An IBAN (ISO 13616) is made by the application, which knows the bank's country and code; here its check digits are proven
 * and its permanence. Looked at when it is written only: accounts change with every posting.
 */
const ibans = `
  create function is_iban(iban text) returns boolean language sql immutable strict parallel safe as $$
    select iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$' and (
      select string_agg(case when c ~ '[0-9]' then c else (ascii(c) - 55)::text end, '' order by n)::numeric % 97 = 1
        from regexp_split_to_table(substr(iban, 5) || left(iban, 4), '') with ordinality x(c, n))
  $$;

  alter table accounts add column iban text unique;

  create function check_account_iban() returns trigger language plpgsql as $$
  begin
    if not is_iban(new.iban) then
      raise exception 'an IBAN has wrong check digits' using errcode = 'check_violation';
    end if;
    return new;
  end $$;
  create trigger accounts_iban before insert or update of iban on accounts
    for each row when (new.iban is not null) execute function check_account_iban();

  create or replace function check_account_change() returns trigger language plpgsql as $$
  begin
    if (new.id, new.kind, new.owner_id, new.account_type_id, new.asset, new.number, new.role, new.shard, coalesce(old.iban, new.iban))
       is distinct from (old.id, old.kind, old.owner_id, old.account_type_id, old.asset, old.number, old.role, old.shard, new.iban) then
      raise exception 'an account never changes owner, type, asset or number' using errcode = 'restrict_violation';
    end if;
    -- an account from before IBANs gets its own, closed or not
    if old.status = 'closed' and (old.iban is not null or new.iban is null) then
      raise exception 'account % is closed for ever', old.id using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;

  create index accounts_without_iban on accounts (id) where kind = 'customer' and iban is null;
  -- the lists and counts of the back office
  create index accounts_status on accounts (status, id) where kind = 'customer';
  create index accounts_type on accounts (account_type_id, id) where kind = 'customer';
  create index accounts_asset on accounts (asset, id) where kind = 'customer';
`;

/**
 * The type's limits are copied: a later change of the type is not retroactive. A balance that must be kept is an overdraft limit
 * below zero, so that one sum (posted - held + limit) tells everywhere what can be spent; a fresh account may be under it.
 */
const openAccount = `
  alter table accounts drop constraint accounts_overdraft_limit_check;
  alter table accounts drop constraint accounts_never_overdrawn;
  alter table accounts add constraint accounts_never_overdrawn check (kind = 'house' or posted - held >= - greatest(overdraft_limit::numeric, 0));

  drop function open_account(uuid, uuid, uuid, text);
  create function open_account(new_id uuid, new_owner uuid, type_id uuid, new_nickname text, new_number text, new_iban text) returns void
  language sql security definer set search_path = public, pg_temp as $$
    insert into accounts (id, kind, owner_id, account_type_id, number, iban, nickname, asset, overdraft_limit, max_balance)
      select new_id, 'customer', new_owner, t.id, new_number, new_iban, new_nickname, t.asset, t.overdraft_limit - t.min_balance, t.max_balance
        from account_types t where t.id = type_id and t.enabled
      on conflict (id) do nothing
  $$;
  revoke execute on function open_account from public;
  -- the sequence is the owner’s
  alter function next_account_number() security definer set search_path = public, pg_temp;
  grant execute on function open_account, next_account_number to teller_app;
`;

const requests = `
  create table account_requests (
    id uuid primary key,
    user_id uuid not null references users,
    account_type_id uuid not null references account_types,
    nickname text check (char_length(nickname) between 1 and 60),
    status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'withdrawn', 'expired')),
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    reminded_at timestamptz(3),
    reminders integer not null default 0,
    decided_by uuid references users,
    -- id reserved for the request that decided, so that its repeat is told apart from somebody's second thought
    decision_id uuid,
    decision_reason text check (char_length(decision_reason) between 1 and 500),
    decided_at timestamptz(3),
    account_id uuid unique references accounts,
    constraint account_requests_ended check ((status = 'pending') = (decided_at is null)),
    constraint account_requests_opened check ((status = 'approved') = (account_id is not null)),
    -- four eyes, whatever program writes; time decides an expiry, and only who asked withdraws
    constraint account_requests_decider check (case status
      when 'pending' then decided_by is null
      when 'expired' then decided_by is null
      when 'withdrawn' then decided_by is not distinct from user_id
      else decided_by is not null and decided_by <> user_id end)
  );
  create index account_requests_user on account_requests (user_id, id);
  create index account_requests_pending on account_requests (id) where status = 'pending';
  -- asked twice, even at once, is asked once
  create unique index account_requests_once on account_requests (user_id, account_type_id) where status = 'pending';
  create index account_requests_type on account_requests (account_type_id);

  create trigger account_requests_end_stands before update on account_requests
    for each row when (old.status <> 'pending') execute function refuse_after_end();
  create trigger account_requests_never_deleted before delete on account_requests for each row execute function refuse_change();
  grant select, insert on account_requests to teller_app;
  grant update (status, reminded_at, reminders, decided_by, decision_id, decision_reason, decided_at, account_id) on account_requests to teller_app;
`;

const amlFlags = `
  create table account_aml_flags (
    id uuid primary key default uuidv7(),
    account_id uuid not null references accounts,
    -- null where a rule raised it
    raised_by uuid references users,
    reason text not null check (char_length(reason) between 1 and 500),
    -- while it is open nothing moves, not only what waits for review; the status that comes back after it
    frozen boolean not null default false,
    frozen_by uuid references users,
    status_before text check (status_before in ('open', 'blocked')),
    raised_at timestamptz(3) not null default now(),
    cleared_by uuid references users,
    clear_reason text check (char_length(clear_reason) between 1 and 500),
    cleared_at timestamptz(3),
    constraint account_aml_flags_cleared check (
      (cleared_at is null) = (cleared_by is null) and (cleared_at is null) = (clear_reason is null)),
    constraint account_aml_flags_frozen check (frozen = (status_before is not null)),
    -- four eyes, whatever program writes
    constraint account_aml_flags_four_eyes check (cleared_by <> raised_by and cleared_by <> frozen_by)
  );
  create unique index account_aml_flags_open on account_aml_flags (account_id) where cleared_at is null;
  create index account_aml_flags_account on account_aml_flags (account_id, id);

  create function check_aml_flag_change() returns trigger language plpgsql as $$
  begin
    if old.cleared_at is not null or (old.frozen and not new.frozen)
       or (new.id, new.account_id, new.raised_by, new.reason, new.raised_at)
          is distinct from (old.id, old.account_id, old.raised_by, old.reason, old.raised_at) then
      raise exception 'flag % cannot be rewritten', old.id using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger account_aml_flags_change before update on account_aml_flags for each row execute function check_aml_flag_change();
  create trigger account_aml_flags_never_deleted before delete on account_aml_flags for each row execute function refuse_change();
  grant select on account_aml_flags to teller_app;
`;
