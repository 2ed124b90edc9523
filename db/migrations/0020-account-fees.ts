import { Migration } from '@mikro-orm/migrations';

/** Monthly fees of accounts: which rule a type refers to, and what became of each charge. */
export class AccountFees extends Migration {
  override up(): void {
    this.addSql(references);
    this.addSql(periods);
    this.addSql(charges);
    this.addSql(post);
    this.addSql(chargeMonth);
    this.addSql(chargeAgain);
  }
}

const references = `
  -- a rule for one account type is in its currency, else it would never be charged
  alter table account_types add constraint account_types_asset unique (id, asset);
  alter table fee_rule_versions
    drop constraint fee_rule_versions_account_type_id_fkey,
    add constraint fee_rule_versions_account_type_fits foreign key (account_type_id, asset) references account_types (id, asset);

  -- and the rule that a type refers to is a monthly one in its currency
  alter table account_types
    add column monthly_fee_purpose text not null generated always as ('monthly') stored,
    add constraint account_types_monthly_fee foreign key (monthly_fee_rule_id, monthly_fee_purpose, asset)
      references fee_rules (id, purpose, asset);
`;

const periods = `
  -- when something was written is not for its writer to say
  revoke insert on fee_rule_versions, fx_rates from teller_app;
  grant insert (rule_id, version, purpose, asset, description, enabled, transfer_type, account_type_id, priority, flat, rate_bps, minimum,
                maximum, tier_mode, tiers, valid_from, valid_to, created_by) on fee_rule_versions to teller_app;
  -- a column of milliseconds rounds, and what begins now must not begin after now
  alter table fee_rule_versions alter column created_at set default date_trunc('milliseconds', now());
  grant insert (id, base, quote, rate, spread_bps, valid_from, valid_until, source, created_by) on fx_rates to teller_app;

  alter table fx_rates drop constraint fx_rates_check, add constraint fx_rates_period check (valid_until > valid_from);
`;

const charges = `
  -- one row per account and month; its id, made of both, is the reference in the books
  create table account_fees (
    id uuid primary key,
    account_id uuid not null references accounts,
    month date not null check (month = date_trunc('month', month::timestamp)::date),
    rule_id uuid not null,
    rule_version integer not null,
    asset text not null references assets,
    amount minor not null check (amount > 0),
    description text not null,
    status text not null default 'due' check (status in ('due', 'charged', 'refused', 'waived')),
    -- why the books refused it last
    refusal text,
    attempts integer not null default 0 check (attempts >= 0),
    transaction_id uuid unique references ledger_transactions,
    created_at timestamptz(3) not null default now(),
    tried_at timestamptz(3),
    unique (account_id, month),
    foreign key (rule_id, rule_version) references fee_rule_versions (rule_id, version),
    foreign key (account_id, asset) references accounts (id, asset),
    constraint account_fees_charged check ((status = 'charged') = (transaction_id is not null)),
    constraint account_fees_refused check ((status = 'refused') <= (refusal is not null))
  );
  create index account_fees_newest on account_fees (month, account_id);
  create index account_fees_open on account_fees (id) where status in ('due', 'refused');
  create trigger account_fees_never_deleted before delete on account_fees for each row execute function refuse_change();

  create function check_account_fee_change() returns trigger language plpgsql as $$
  begin
    if old.status not in ('due', 'refused') or (new.id, new.account_id, new.month, new.rule_id, new.rule_version, new.asset, new.amount)
       is distinct from (old.id, old.account_id, old.month, old.rule_id, old.rule_version, old.asset, old.amount) then
      raise exception 'account fee % stands', old.id using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger account_fees_change before update on account_fees for each row execute function check_account_fee_change();
  grant select on account_fees to teller_app;

  -- which months are done: who attaches a fee to a type later does not have it charged for a month that was
  create table account_fee_months (
    month date primary key check (month = date_trunc('month', month::timestamp)::date),
    began_at timestamptz(3) not null default now(),
    finished_at timestamptz(3)
  );
  grant select, insert on account_fee_months to teller_app;
  grant update (finished_at) on account_fee_months to teller_app;
`;

/** Books these fees, each by itself; what the books refuse is kept with the reason. The caller has locked their rows. */
const post = `
  create function post_account_fees(fees account_fees[], out charged int, out refused int)
  language plpgsql set search_path = public, pg_temp as $$
  declare commands jsonb; verdicts text[];
  begin
    charged := 0;
    refused := 0;
    if cardinality(fees) = 0 then return; end if;
    select jsonb_agg(jsonb_build_object(
        'id', uuidv7(), 'kind', 'account_fee', 'source_type', 'account_fee', 'source_id', f.id, 'description', f.description,
        'metadata', jsonb_build_object('month', to_char(f.month, 'YYYY-MM'), 'fee_rule_id', f.rule_id, 'fee_rule_version', f.rule_version::text),
        'entries', jsonb_build_array(
          jsonb_build_object('account', f.account_id, 'asset', f.asset, 'amount', (-f.amount)::text, 'part', 'fee'),
          jsonb_build_object('account', house_account('fees', f.asset, f.id), 'asset', f.asset, 'amount', f.amount::text, 'part', 'fee'))) order by n)
      into commands from generate_subscripts(fees, 1) n, lateral (select (fees[n]).*) f;
    verdicts := array(select p.verdict from ledger_post(commands) p order by p.ord);
    update account_fees a set attempts = a.attempts + 1, tried_at = clock_timestamp(),
        status = case when verdicts[n] in ('posted', 'duplicate') then 'charged' when verdicts[n] = 'account_closed' then 'waived' else 'refused' end,
        refusal = case when verdicts[n] not in ('posted', 'duplicate') then verdicts[n] end,
        transaction_id = (select t.id from ledger_transactions t where t.source_type = 'account_fee' and t.source_id = a.id and t.kind = 'account_fee')
      from generate_subscripts(fees, 1) n where a.id = (fees[n]).id;
    charged := (select count(*) from unnest(verdicts) v where v in ('posted', 'duplicate'));
    refused := cardinality(verdicts) - charged;
  end $$;
  revoke execute on function post_account_fees from public;
`;

/**
 * Charges the fee of a month to the next accounts by id: those that were open before it began, by the version of their type's
 * rule that was in force then. Answers the last account looked at, null at the end. An account is charged once a month,
 * however often and by how many this is called.
 */
export const chargeMonth = `
  create function charge_account_fees(for_month date, after uuid, most int, out last uuid, out charged int, out refused int)
  language plpgsql security definer set search_path = public, pg_temp as $$
  declare seen int; began timestamptz := for_month::timestamp at time zone 'UTC'; fees account_fees[];
  begin
    if began > now() or began < now() - interval '62 days' then raise exception 'not a month to be charged now'; end if;
    select (array_agg(id order by id desc))[1], count(*) into last, seen from (
      select a.id from accounts a where a.kind = 'customer' and a.id > after order by a.id limit most) page;
    insert into account_fees (id, account_id, month, rule_id, rule_version, asset, amount, description)
      select md5('account_fee/' || a.id || '/' || to_char(for_month, 'YYYY-MM'))::uuid, a.id, for_month, v.rule_id, v.version, a.asset, v.flat, v.description
        from accounts a
        join account_types t on t.id = a.account_type_id
        join lateral (select * from fee_rule_versions n where n.rule_id = t.monthly_fee_rule_id and n.valid_from <= began
                        order by n.version desc limit 1) v on v.enabled and v.flat > 0 and (v.valid_to is null or v.valid_to > began)
       where a.kind = 'customer' and a.id > after and a.id <= last and a.status <> 'closed' and a.opened_at < began
       order by a.id
      on conflict (account_id, month) do nothing;
    select array_agg(f order by f.account_id) into fees from (
      select * from account_fees where month = for_month and account_id > after and account_id <= last and status = 'due'
        order by account_id for update) f;
    select p.charged, p.refused into charged, refused from post_account_fees(coalesce(fees, '{}')) p;
    if seen < most then last := null; end if;
  end $$;
  revoke execute on function charge_account_fees from public;
  grant execute on function charge_account_fees to teller_app;
`;

/** Tries the next fees by id that the books have refused. Answers the last one looked at, null at the end. */
const chargeAgain = `
  create function charge_refused_account_fees(after uuid, most int, out last uuid, out charged int, out refused int)
  language plpgsql security definer set search_path = public, pg_temp as $$
  declare fees account_fees[];
  begin
    select array_agg(f order by f.account_id), (array_agg(f.id order by f.id desc))[1] into fees, last from (
      select * from account_fees where status in ('due', 'refused') and id > after order by id limit most for update) f;
    select p.charged, p.refused into charged, refused from post_account_fees(coalesce(fees, '{}')) p;
    if coalesce(cardinality(fees), 0) < most then last := null; end if;
  end $$;
  revoke execute on function charge_refused_account_fees from public;
  grant execute on function charge_refused_account_fees to teller_app;
`;
