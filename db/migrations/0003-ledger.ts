import { Migration } from '@mikro-orm/migrations';
import { currencyScales } from '../../domain/currencies.ts';

/**
 * The books. The application's role may read them and call the functions that post; it cannot write a row itself.
 * What the triggers refuse, they refuse to the owner too: a wrong program must not be able to break the books.
 */
export class Ledger extends Migration {
  override up(): void {
    this.addSql(tables);
    this.addSql(guards);
    this.addSql(openAccount);
    const values = [...currencyScales].map(([code, scale]) => `('${code}', ${scale}, 'fiat')`);
    this.addSql(`insert into assets (code, scale, kind) values ${values.join(', ')}`);
  }
}

const tables = `
  create table assets (
    code text primary key check (code ~ '^[A-Z0-9]{2,10}$'),
    scale smallint not null check (scale between 0 and 18),
    kind text not null check (kind in ('fiat', 'crypto'))
  );

  create table account_types (
    id uuid primary key default uuidv7(),
    code text not null unique check (code ~ '^[a-z][a-z0-9_]{1,39}$'),
    name text not null check (char_length(name) between 1 and 80),
    asset text not null references assets,
    openable_by text not null check (openable_by in ('customer', 'request')),
    overdraft_limit minor not null default 0 check (overdraft_limit >= 0),
    max_balance minor check (max_balance > 0),
    enabled boolean not null default true,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  );

  create sequence account_numbers start 1000000001;

  -- ten digits and two check digits (ISO 7064 mod 97-10), so that a mistyped number is nobody's
  create function next_account_number() returns text language sql volatile as $$
    select n || lpad((98 - (n::numeric * 100) % 97)::text, 2, '0') from (select nextval('account_numbers')::text as n) s
  $$;

  create table accounts (
    id uuid primary key default uuidv7(),
    kind text not null check (kind in ('customer', 'house')),
    owner_id uuid references users,
    account_type_id uuid references account_types,
    -- house accounts: what for, and which of the rows it is spread over
    role text check (role in ('adjustments', 'clearing', 'fees', 'fx_position', 'suspense')),
    shard smallint,
    number text unique,
    nickname text check (char_length(nickname) between 1 and 60),
    asset text not null references assets,
    status text not null default 'open' check (status in ('open', 'blocked', 'frozen', 'closed')),
    posted minor not null default 0,
    held minor not null default 0 check (held >= 0),
    overdraft_limit minor not null default 0 check (overdraft_limit >= 0),
    max_balance minor check (max_balance > 0),
    entry_seq bigint not null default 0,
    last_entry_at timestamptz(3) not null default '-infinity',
    opened_at timestamptz(3) not null default now(),
    closed_at timestamptz(3),
    unique (id, asset),
    unique (role, asset, shard),
    constraint accounts_kind_fits check (case kind
      when 'customer' then owner_id is not null and account_type_id is not null and number is not null and role is null and shard is null
      else owner_id is null and account_type_id is null and number is null and role is not null and shard is not null end),
    constraint accounts_never_overdrawn check (kind = 'house' or posted - held >= -overdraft_limit),
    constraint accounts_closed_empty check (status <> 'closed' or (posted = 0 and held = 0 and closed_at is not null))
  ) with (fillfactor = 50);
  create index accounts_owner on accounts (owner_id, id) where owner_id is not null;

  create table ledger_transactions (
    id uuid primary key,
    kind text not null check (kind ~ '^[a-z_]{1,40}$'),
    source_type text not null,
    source_id uuid not null,
    booked_at timestamptz(3) not null,
    value_date date not null,
    description text not null default '' check (char_length(description) <= 140),
    metadata jsonb not null default '{}',
    reverses uuid unique references ledger_transactions,
    unique (source_type, source_id, kind)
  );

  create table ledger_entries (
    account_id uuid not null,
    seq bigint not null check (seq > 0),
    transaction_id uuid not null references ledger_transactions,
    asset text not null,
    amount minor not null check (amount <> 0),
    balance_after minor not null,
    booked_at timestamptz(3) not null,
    value_date date not null,
    primary key (account_id, seq),
    foreign key (account_id, asset) references accounts (id, asset)
  );
  create index ledger_entries_transaction on ledger_entries (transaction_id);
  create index ledger_entries_time on ledger_entries (account_id, booked_at, seq);

  create table holds (
    id uuid primary key default uuidv7(),
    account_id uuid not null references accounts,
    amount minor not null check (amount > 0),
    status text not null default 'open' check (status in ('open', 'captured', 'released')),
    source_type text not null,
    source_id uuid not null,
    created_at timestamptz(3) not null default now(),
    resolved_at timestamptz(3),
    unique (source_type, source_id),
    constraint holds_resolved check ((status = 'open') = (resolved_at is null))
  );
  create index holds_open on holds (account_id) where status = 'open';

  grant select on assets, account_types, accounts, ledger_transactions, ledger_entries, holds to teller_app;
  grant insert, update, delete on account_types to teller_app;
  grant update (nickname, status, closed_at) on accounts to teller_app;
`;

/** The checks look rows up one by one, whatever the statistics say: a plan made while the tables were small would scan them later. */
const guards = `
  -- after every statement that writes entries: each transaction touched sums to zero per asset, each account's chain of
  -- balances is unbroken, and it ends at what the account says (so an account is updated before its entries are written)
  create function check_entries() returns trigger language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
  declare wrong uuid;
  begin
    select e.transaction_id into wrong from ledger_entries e
      where e.transaction_id in (select transaction_id from written)
      group by e.transaction_id, e.asset having sum(e.amount) <> 0 limit 1;
    if found then
      raise exception 'ledger transaction % does not sum to zero', wrong using errcode = 'check_violation';
    end if;
    select w.account_id into wrong from written w
      left join ledger_entries before on before.account_id = w.account_id and before.seq = w.seq - 1
      where w.balance_after <> coalesce(before.balance_after, 0) + w.amount or (before.seq is null and w.seq <> 1) limit 1;
    if found then
      raise exception 'the entries of account % do not continue its balance', wrong using errcode = 'check_violation';
    end if;
    select a.id into wrong from accounts a
      join (select distinct on (account_id) account_id, seq, balance_after from written order by account_id, seq desc) last on last.account_id = a.id
      where a.entry_seq <> last.seq or a.posted <> last.balance_after limit 1;
    if found then
      raise exception 'account % does not agree with its entries', wrong using errcode = 'check_violation';
    end if;
    return null;
  end $$;
  create trigger ledger_entries_check after insert on ledger_entries
    referencing new table as written for each statement execute function check_entries();

  -- at commit: what an account says is what its last entry says
  create function check_account_balance() returns trigger language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
  declare now_posted numeric; now_seq bigint; last_balance numeric; last_seq bigint;
  begin
    select posted, entry_seq into now_posted, now_seq from accounts where id = new.id;
    select balance_after, seq into last_balance, last_seq from ledger_entries where account_id = new.id order by seq desc limit 1;
    if now_posted is distinct from coalesce(last_balance, 0) or now_seq is distinct from coalesce(last_seq, 0) then
      raise exception 'account % does not agree with its entries', new.id using errcode = 'check_violation';
    end if;
    return null;
  end $$;
  create constraint trigger accounts_agree after insert or update of posted, entry_seq on accounts
    deferrable initially deferred for each row execute function check_account_balance();

  create trigger ledger_transactions_append_only before update or delete on ledger_transactions for each row execute function refuse_change();
  create trigger ledger_transactions_no_truncate before truncate on ledger_transactions for each statement execute function refuse_change();
  create trigger ledger_entries_append_only before update or delete on ledger_entries for each row execute function refuse_change();
  create trigger ledger_entries_no_truncate before truncate on ledger_entries for each statement execute function refuse_change();
  create trigger accounts_never_deleted before delete on accounts for each row execute function refuse_change();
  create trigger assets_frozen before update or delete on assets for each row execute function refuse_change();

  -- what an account is never changes, closed is for ever
  create function check_account_change() returns trigger language plpgsql as $$
  begin
    if (new.id, new.kind, new.owner_id, new.asset, new.number, new.role, new.shard)
       is distinct from (old.id, old.kind, old.owner_id, old.asset, old.number, old.role, old.shard) then
      raise exception 'an account never changes owner, asset or kind' using errcode = 'restrict_violation';
    end if;
    if old.status = 'closed' then
      raise exception 'account % is closed for ever', old.id using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger accounts_change before update on accounts for each row execute function check_account_change();

  -- an open hold is resolved once
  create function check_hold_change() returns trigger language plpgsql as $$
  begin
    if old.status <> 'open' or (new.id, new.account_id, new.amount, new.source_type, new.source_id)
       is distinct from (old.id, old.account_id, old.amount, old.source_type, old.source_id) then
      raise exception 'hold % is resolved', old.id using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger holds_change before update on holds for each row execute function check_hold_change();
  create trigger holds_never_deleted before delete on holds for each row execute function refuse_change();
`;

/** Opens a customer's account of a type, once per id. The type's limits are copied: a later change of the type is not retroactive. */
const openAccount = `
  create function open_account(new_id uuid, new_owner uuid, type_id uuid, new_nickname text) returns void
  language sql security definer set search_path = public, pg_temp as $$
    insert into accounts (id, kind, owner_id, account_type_id, number, nickname, asset, overdraft_limit, max_balance)
      select new_id, 'customer', new_owner, t.id, next_account_number(), new_nickname, t.asset, t.overdraft_limit, t.max_balance
        from account_types t where t.id = type_id and t.enabled
      on conflict (id) do nothing
  $$;
  revoke execute on function open_account, next_account_number from public;
  grant execute on function open_account to teller_app;
`;
