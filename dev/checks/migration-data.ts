/**
 * A bank in use, at the schemas of earlier releases: what a migration finds where it matters. Written with each release's own
 * functions, so it can only be what they could have made.
 */
import type { MigrationName } from '../../db/migrations.ts';

const PEOPLE = `
  insert into users (id, email, first_name, last_name, role, status, password_hash) values
    ('00000000-0000-7000-8000-000000000001', 'payer@bank.test', 'Анна', 'Müller', 'customer', 'active', '$argon2id$none'),
    ('00000000-0000-7000-8000-000000000002', 'payee@bank.test', '明', '王', 'customer', 'active', '$argon2id$none'),
    ('00000000-0000-7000-8000-000000000003', 'maker@bank.test', 'Ann', 'Maker', 'admin', 'active', '$argon2id$none'),
    ('00000000-0000-7000-8000-000000000004', 'checker@bank.test', 'Ben', 'Checker', 'admin', 'active', '$argon2id$none');
  select open_account('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000001', id, 'Household') from account_types where code = 'current_eur';
  select open_account('00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000002', id, null) from account_types where code = 'current_eur';
  select open_account('00000000-0000-7000-8000-000000000013', '00000000-0000-7000-8000-000000000002', id, null) from account_types where code = 'current_jpy';
`;

/** An adjustment that is executed, transfers executed, pending, rejected and failed, and a quote that nobody has used. */
const MOVEMENTS = `
  select * from transfers_open('[{"id": "00000000-0000-7000-8000-000000000101", "kind": "adjustment", "requested_by": "00000000-0000-7000-8000-000000000003",
    "customer": "00000000-0000-7000-8000-000000000001", "destination": "00000000-0000-7000-8000-000000000011", "asset": "EUR", "amount": "9000000",
    "description": "Opening", "reason": "cash", "approval_seconds": 3600}]');
  select * from transfer_decide('00000000-0000-7000-8000-000000000101', 'execute', '00000000-0000-7000-8000-000000000004', 'seen');
  select * from transfers_open((select jsonb_agg(jsonb_build_object('id', '00000000-0000-7000-8000-00000000020' || n, 'kind', 'transfer', 'type', 'internal',
    'requested_by', '00000000-0000-7000-8000-000000000001', 'customer', '00000000-0000-7000-8000-000000000001', 'source', '00000000-0000-7000-8000-000000000011',
    'destination', '00000000-0000-7000-8000-000000000012', 'asset', 'EUR', 'amount', (case when n = 1 then 2500 else 1500000 end)::text, 'description', 'Rent ' || n))
    from generate_series(1, 4) n));
  select * from transfer_decide('00000000-0000-7000-8000-000000000202', 'reject', '00000000-0000-7000-8000-000000000004', 'no');
  update accounts set status = 'frozen' where id = '00000000-0000-7000-8000-000000000012';
  select * from transfer_decide('00000000-0000-7000-8000-000000000203', 'execute', '00000000-0000-7000-8000-000000000004', null);
  update accounts set status = 'open' where id = '00000000-0000-7000-8000-000000000012';
  insert into transfer_quotes (id, requested_by, type_code, source_account_id, destination_account_id, asset, amount, requires_approval, expires_at)
    values ('00000000-0000-7000-8000-000000000301', '00000000-0000-7000-8000-000000000001', 'internal', '00000000-0000-7000-8000-000000000011',
            '00000000-0000-7000-8000-000000000012', 'EUR', 100, false, now() + interval '1 hour');
`;

/** A monthly fee that one account has paid and another could not. */
const FEES = `
  insert into fee_rules (id, code, purpose, asset) values ('00000000-0000-7000-8000-000000000501', 'monthly', 'monthly', 'EUR');
  insert into fee_rule_versions (rule_id, version, purpose, asset, description, enabled, priority, flat, rate_bps, tier_mode, valid_from, created_at)
    values ('00000000-0000-7000-8000-000000000501', 1, 'monthly', 'EUR', 'Account fee', true, 0, 3000, 0, 'graduated', '2020-01-01', '2020-01-01');
  update account_types set monthly_fee_rule_id = '00000000-0000-7000-8000-000000000501' where code = 'current_eur';
  update accounts set opened_at = '2020-01-01' where kind = 'customer';
  select * from charge_account_fees(date_trunc('month', now() at time zone 'UTC')::date, '00000000-0000-0000-0000-000000000000', 100);
`;

/** The releases a bank was used with, oldest first: the last migration of each, and what was written at its schema. */
export const RELEASES: readonly { readonly last: MigrationName; readonly written: readonly string[] }[] = [
  { last: '0010-decisions', written: [PEOPLE, MOVEMENTS] },
  { last: '0028-ledger-events', written: [FEES] },
];

/** What must be true of it after all migrations, each with the statement that answers `true`. */
export const STILL_TRUE: readonly (readonly [string, string])[] = [
  [
    'balances and holds are as they were',
    `select array_agg(posted || '/' || held order by id) = '{8994500/1500000,2500/0,0/0}' as holds from accounts where kind = 'customer'`,
  ],
  [
    'transfers are as they were',
    `select array_agg(status order by id) = '{executed,executed,rejected,failed,pending_approval}' as holds from transfers`,
  ],
  [
    'every transfer says what arrives, and who approved it',
    `select bool_and(target_asset = asset and target_amount = amount and fee_total = 0)
        and bool_and((approved_by is not null) = (requires_approval and status in ('executed', 'failed'))) as holds from transfers`,
  ],
  [
    'every account has an IBAN',
    `select bool_and(iban is not null) as holds from accounts where kind = 'customer'`,
  ],
  [
    'a transfer that waited is executed, a quote of before is used',
    `with decided as (select status from transfer_decide('00000000-0000-7000-8000-000000000204', 'execute', '00000000-0000-7000-8000-000000000004', null, null, null)),
          opened as (select status from transfers_open('[{"id": "00000000-0000-7000-8000-000000000401", "kind": "transfer", "type": "internal",
            "requested_by": "00000000-0000-7000-8000-000000000001", "customer": "00000000-0000-7000-8000-000000000001",
            "source": "00000000-0000-7000-8000-000000000011", "destination": "00000000-0000-7000-8000-000000000012", "asset": "EUR", "amount": "100",
            "description": "", "quote": "00000000-0000-7000-8000-000000000301"}]'))
     select (select status from decided) = 'executed' and (select status from opened) = 'executed' as holds`,
  ],
  [
    'fees are as they were, have ids that are UUIDs, and are charged once',
    `with again as (select charged from charge_account_fees(date_trunc('month', now() at time zone 'UTC')::date, '00000000-0000-0000-0000-000000000000', 100))
     select (select charged from again) = 0 and array_agg(status order by account_id) = '{charged,refused}'
        and bool_and(id::text ~ '^.{14}8.{4}[89ab]') as holds from account_fees`,
  ],
  [
    'every balance is the sum of its entries',
    `select bool_and(a.posted = coalesce((select sum(e.amount) from ledger_entries e where e.account_id = a.id), 0)) as holds from accounts a`,
  ],
];
