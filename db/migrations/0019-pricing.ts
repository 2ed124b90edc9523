import { Migration } from '@mikro-orm/migrations';

/** What things cost and what currencies are worth. Both are only ever added to: what was in force at a time stays to be read. */
export class Pricing extends Migration {
  override up(): void {
    this.addSql(feeRules);
    this.addSql(fxRates);
  }
}

const feeRules = `
  -- from above zero upwards: no gap, no overlap
  create function fee_tiers_ascend(tiers jsonb) returns boolean language sql immutable set search_path = public, pg_temp as $$
    select coalesce(bool_and(coalesce((t->>'above')::minor > before and (t->>'flat')::minor >= 0
                                      and (t->>'rate_bps')::numeric between 0 and 10000, false)), true)
      from (select t, coalesce(lag((t->>'above')::numeric) over (order by n), 0) as before
              from jsonb_array_elements(tiers) with ordinality x(t, n)) tier
  $$;

  -- what of a rule never changes; the rest is in its versions
  create table fee_rules (
    id uuid primary key,
    code text not null check (code ~ '^[a-z][a-z0-9_]{1,39}$'),
    purpose text not null check (purpose in ('transfer', 'monthly')),
    asset text not null references assets,
    created_at timestamptz(3) not null default now(),
    unique (id, purpose, asset)
  );
  create index fee_rules_for on fee_rules (asset, purpose);
  create trigger fee_rules_append_only before update or delete on fee_rules for each row execute function refuse_change();
  create trigger fee_rules_no_truncate before truncate on fee_rules for each statement execute function refuse_change();

  -- in force: the newest version whose time has come, until its end. What a later version replaces does not come back.
  create table fee_rule_versions (
    rule_id uuid not null,
    version integer not null check (version > 0),
    previous integer generated always as (nullif(version - 1, 0)) stored,
    purpose text not null,
    asset text not null,
    description text not null check (char_length(description) between 1 and 140),
    enabled boolean not null,
    transfer_type text references transfer_types,
    account_type_id uuid references account_types,
    priority integer not null check (priority between -1000 and 1000),
    flat minor not null check (flat >= 0),
    rate_bps numeric(11, 6) not null check (rate_bps between 0 and 10000),
    minimum minor check (minimum >= 0),
    maximum minor check (maximum >= 0),
    tier_mode text not null check (tier_mode in ('graduated', 'slab')),
    tiers jsonb not null default '[]' check (jsonb_typeof(tiers) = 'array' and jsonb_array_length(tiers) <= 50),
    valid_from timestamptz(3) not null,
    valid_to timestamptz(3),
    created_by uuid references users,
    created_at timestamptz(3) not null default now(),
    primary key (rule_id, version),
    foreign key (rule_id, purpose, asset) references fee_rules (id, purpose, asset),
    foreign key (rule_id, previous) references fee_rule_versions (rule_id, version),
    constraint fee_rule_tiers_ascend check (fee_tiers_ascend(tiers)),
    constraint fee_rule_bounds check (minimum <= maximum),
    constraint fee_rule_period check (valid_to > valid_from),
    -- a rule never reaches back: what it said at a past time stays said
    constraint fee_rule_ahead check (valid_from >= created_at),
    -- there is no amount that a share of a month could be of
    constraint fee_rule_monthly_is_flat check (purpose <> 'monthly' or
      (rate_bps = 0 and tiers = '[]' and minimum is null and maximum is null and transfer_type is null and account_type_id is null))
  );
  create index fee_rule_versions_account_type on fee_rule_versions (account_type_id) where account_type_id is not null;
  create trigger fee_rule_versions_append_only before update or delete on fee_rule_versions for each row execute function refuse_change();
  create trigger fee_rule_versions_no_truncate before truncate on fee_rule_versions for each statement execute function refuse_change();

  grant select, insert on fee_rules, fee_rule_versions to teller_app;
`;

const fxRates = `
  create table fx_settings (
    only_row boolean primary key default true check (only_row),
    -- rates between two other currencies are made over this one
    base_asset text not null references assets,
    -- a rate that names no end is stale after it
    stale_seconds integer not null check (stale_seconds between 1 and 31536000)
  );
  insert into fx_settings (base_asset, stale_seconds) values ('EUR', 86400);
  grant select on fx_settings to teller_app;

  -- one unit of base is 'rate' units of quote; the newest by valid_from counts, also where it has ended
  create table fx_rates (
    id uuid primary key,
    base text not null references assets,
    quote text not null references assets,
    rate numeric(28, 12) not null check (rate > 0),
    -- two legs at their highest leave something
    spread_bps numeric(8, 4) not null check (spread_bps >= 0 and spread_bps < 5000),
    valid_from timestamptz(3) not null,
    valid_until timestamptz(3) check (valid_until > valid_from),
    source text not null check (char_length(source) between 1 and 80),
    created_by uuid references users,
    created_at timestamptz(3) not null default now(),
    constraint fx_rates_two_currencies check (base <> quote)
  );
  create index fx_rates_newest on fx_rates (base, quote, valid_from desc, id desc);
  create trigger fx_rates_append_only before update or delete on fx_rates for each row execute function refuse_change();
  create trigger fx_rates_no_truncate before truncate on fx_rates for each statement execute function refuse_change();
  grant select, insert on fx_rates to teller_app;

  -- the newest rate of one direction at a time, and whether it still counts
  create function fx_rate_at(wanted_base text, wanted_quote text, at timestamptz)
    returns table (id uuid, base text, quote text, rate numeric, spread_bps numeric, valid_from timestamptz, stale boolean)
  language sql stable set search_path = public, pg_temp as $$
    select r.id, r.base, r.quote, r.rate, r.spread_bps, r.valid_from,
           coalesce(r.valid_until, r.valid_from + make_interval(secs => s.stale_seconds)) <= at
      from fx_rates r, fx_settings s
      where r.base = wanted_base and r.quote = wanted_quote and r.valid_from <= at
      order by r.valid_from desc, r.id desc limit 1
  $$;
  revoke execute on function fx_rate_at from public;
  grant execute on function fx_rate_at to teller_app;
`;
