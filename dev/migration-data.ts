/**
 * A bank in use, at the schema of an earlier release: what a migration finds where it matters. Written with that release's own
 * functions, so it can only be what they could have made.
 */
import type pg from 'pg';
import type { MigrationName } from '../db/migrations.ts';

/** The last migration of the release that the data is of. */
export const RELEASE: MigrationName = '0010-decisions';

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

export async function fill(client: pg.Client): Promise<void> {
  await client.query(PEOPLE);
  await client.query(MOVEMENTS);
}

/** What must be true of it after all migrations, each with the statement that answers `true`. */
export const STILL_TRUE: readonly (readonly [string, string])[] = [
  [
    'balances and holds are as they were',
    `select array_agg(posted || '/' || held order by id) = '{8997500/1500000,2500/0,0/0}' as holds from accounts where kind = 'customer'`,
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
    'every balance is the sum of its entries',
    `select bool_and(a.posted = coalesce((select sum(e.amount) from ledger_entries e where e.account_id = a.id), 0)) as holds from accounts a`,
  ],
];
