-- A bank in use whose database is at migration 0031: rows that the code of that time wrote with its own functions,
-- and what its migrator noted. Goes into the tables of the baseline. Dates until which something waits are far off.

create table schema_migrations (
  id serial primary key,
  name varchar(255) not null,
  executed_at timestamptz(6) not null default current_timestamp(6)
);
insert into schema_migrations (name) values
  ('0001-foundation'), ('0002-identity'), ('0003-ledger'), ('0004-posting'), ('0005-support'), ('0006-throttles'),
  ('0007-transfers'), ('0008-transfer-functions'), ('0009-ends-stand'), ('0010-decisions'),
  ('0011-contact-changes'), ('0012-start-session'), ('0013-admin-identity'), ('0015-accounts'),
  ('0016-account-status'), ('0017-payments'), ('0018-payment-functions'), ('0019-pricing'), ('0020-account-fees'),
  ('0021-rail'), ('0023-reads'), ('0024-search'), ('0026-scheduled-transfers'), ('0027-account-limits'),
  ('0028-ledger-events'), ('0029-plans-and-names'), ('0030-proofs-and-devices'), ('0031-value-days-and-locks');

insert into fee_rules (id, code, purpose, asset, created_at) values
  ('00000000-0000-7000-8000-000000000501', 'monthly', 'monthly', 'EUR', '2026-11-22 01:22:55.802+00');

update account_types t set id = v.id::uuid from (values
  ('01a200d9-5d2f-7544-b36f-07829e7c6cf9', 'current_eur'),
  ('01a200d9-5d2f-7bb2-b6c8-c2731f48d59e', 'current_usd'),
  ('01a200d9-5d2f-7c04-92e6-ec74fa8982ca', 'current_gbp'),
  ('01a200d9-5d2f-7c30-affd-c74bbdc8965e', 'current_chf'),
  ('01a200d9-5d2f-7c58-b92c-7087c3bc7dca', 'current_jpy'),
  ('01a200d9-5d2f-7c7c-8a5c-756028851411', 'current_kwd'),
  ('01a200d9-5d2f-7ca3-b912-614a266c607d', 'savings_eur'),
  ('01a200d9-5d2f-7cc6-bcaf-ac630873b341', 'business_eur')) v(id, code) where t.code = v.code;
update account_types set monthly_fee_rule_id = '00000000-0000-7000-8000-000000000501' where code = 'current_eur';

insert into users (id, email, email_verified_at, password_hash, first_name, last_name, locale, role, status,
  email_otp_enabled, sms_otp_enabled, preferred_method, created_at, updated_at, kyc_level, kyc_status) values
  ('00000000-0000-7000-8000-000000000001', 'payer@bank.test', '2026-11-22 01:22:54.951+00', '$argon2id$none',
   'Анна', 'Müller', 'en', 'customer', 'active', false, false, 'email_otp', '2026-11-22 01:22:54.951+00',
   '2026-11-22 01:22:54.951+00', 0, 'none'),
  ('00000000-0000-7000-8000-000000000002', 'payee@bank.test', '2026-11-22 01:22:54.951+00', '$argon2id$none',
   '明', '王', 'en', 'customer', 'active', false, false, 'email_otp', '2026-11-22 01:22:54.951+00',
   '2026-11-22 01:22:54.951+00', 0, 'none'),
  ('00000000-0000-7000-8000-000000000003', 'maker@bank.test', '2026-11-22 01:22:54.951+00', '$argon2id$none',
   'Ann', 'Maker', 'en', 'admin', 'active', false, false, 'email_otp', '2026-11-22 01:22:54.951+00',
   '2026-11-22 01:22:54.951+00', 0, 'none'),
  ('00000000-0000-7000-8000-000000000004', 'checker@bank.test', '2026-11-22 01:22:54.951+00',
   '$argon2id$none', 'Ben', 'Checker', 'en', 'admin', 'active', false, false, 'email_otp',
   '2026-11-22 01:22:54.951+00', '2026-11-22 01:22:54.951+00', 0, 'none');
insert into user_permissions (user_id, action) values
  ('00000000-0000-7000-8000-000000000004', 'transfers:review');

insert into accounts (id, kind, owner_id, account_type_id, role, shard, number, nickname, asset, status,
  posted, held, overdraft_limit, entry_seq, last_entry_at, opened_at, iban) values
  ('00000000-0000-7000-8000-000000000011', 'customer', '00000000-0000-7000-8000-000000000001',
   '01a200d9-5d2f-7544-b36f-07829e7c6cf9', null, null, '100000000190', 'Household', 'EUR', 'open', 8994500,
   1500000, 0, 3, '2026-11-22 01:22:55.828+00', '2020-01-01 00:00:00+00', 'DE59999900001000000001'),
  ('00000000-0000-7000-8000-000000000012', 'customer', '00000000-0000-7000-8000-000000000002',
   '01a200d9-5d2f-7544-b36f-07829e7c6cf9', null, null, '100000000287', null, 'EUR', 'open', 2500, 0, 0, 1,
   '2026-11-22 01:22:55.036+00', '2020-01-01 00:00:00+00', 'DE32999900001000000002'),
  ('00000000-0000-7000-8000-000000000013', 'customer', '00000000-0000-7000-8000-000000000002',
   '01a200d9-5d2f-7c58-b92c-7087c3bc7dca', null, null, '100000000384', null, 'JPY', 'open', 0, 0, 0, 0,
   '-infinity', '2020-01-01 00:00:00+00', 'DE05999900001000000003'),
  ('01a200d9-5d7d-7eb7-b510-436e6fd2cadc', 'house', null, null, 'adjustments', 0, null, null, 'EUR', 'open',
   -9000000, 0, 0, 1, '2026-11-22 01:22:55.011+00', '2026-11-22 01:22:54.972+00', null),
  ('01a200d9-60ce-72b4-8614-fa74609ee91e', 'house', null, null, 'fees', 5, null, null, 'EUR', 'open', 3000,
   0, 0, 1, '2026-11-22 01:22:55.828+00', '2026-11-22 01:22:55.802+00', null),
  ('01a200d9-60ce-7bcd-9bc6-a4bb5b022c14', 'house', null, null, 'fees', 1, null, null, 'EUR', 'open', 0, 0,
   0, 0, '-infinity', '2026-11-22 01:22:55.802+00', null);

insert into fee_rule_versions (rule_id, version, purpose, asset, description, enabled, priority, flat,
  rate_bps, tier_mode, tiers, valid_from, created_at) values
  ('00000000-0000-7000-8000-000000000501', 1, 'monthly', 'EUR', 'Account fee', true, 0, 3000, '0.000000',
   'graduated', '[]', '2020-01-01 00:00:00+00', '2020-01-01 00:00:00+00');

insert into ledger_transactions (id, kind, source_type, source_id, booked_at, value_date, description,
  metadata, position) overriding system value values
  ('01a200d9-5d9a-7041-96b3-ab973abe961a', 'adjustment', 'transfer', '00000000-0000-7000-8000-000000000101',
   '2026-11-22 01:22:55.011+00', '2026-11-22', 'Opening', '{}', 1),
  ('01a200d9-5dbc-788b-ad29-9341915e1945', 'transfer', 'transfer', '00000000-0000-7000-8000-000000000201',
   '2026-11-22 01:22:55.036+00', '2026-11-22', 'Rent 1', '{}', 2),
  ('01a200d9-60cd-7cbc-8c87-97cc03bdd14b', 'account_fee', 'account_fee',
   'c93154c2-1bdb-16b3-a77f-74ab05ee6c5f', '2026-11-22 01:22:55.828+00', '2026-11-22', 'Account fee',
   '{"month": "2026-11", "fee_rule_id": "00000000-0000-7000-8000-000000000501", "fee_rule_version": "1"}', 3);

insert into account_fees (id, account_id, month, rule_id, rule_version, asset, amount, description, status,
  refusal, attempts, transaction_id, created_at, tried_at) values
  ('7216841e-3320-8c53-b3fe-cc29c6133071', '00000000-0000-7000-8000-000000000011', '2026-11-01',
   '00000000-0000-7000-8000-000000000501', 1, 'EUR', 3000, 'Account fee', 'charged', null, 1,
   '01a200d9-60cd-7cbc-8c87-97cc03bdd14b', '2026-11-22 01:22:55.802+00', '2026-11-22 01:22:55.848+00'),
  ('97c441e2-a884-807e-85af-bd4b5e13cdbb', '00000000-0000-7000-8000-000000000012', '2026-11-01',
   '00000000-0000-7000-8000-000000000501', 1, 'EUR', 3000, 'Account fee', 'refused', 'insufficient_funds', 1,
   null, '2026-11-22 01:22:55.802+00', '2026-11-22 01:22:55.85+00');

insert into entry_words (owner_id, booked_at, account_id, seq, words) values
  ('00000000-0000-7000-8000-000000000001', '2026-11-22 01:22:55.011+00',
   '00000000-0000-7000-8000-000000000011', 1, '{kind:adjustment,opening}'),
  ('00000000-0000-7000-8000-000000000001', '2026-11-22 01:22:55.036+00',
   '00000000-0000-7000-8000-000000000011', 2, '{kind:transfer,1,100000000287,rent,明,王}'),
  ('00000000-0000-7000-8000-000000000001', '2026-11-22 01:22:55.828+00',
   '00000000-0000-7000-8000-000000000011', 3, '{kind:account_fee}'),
  ('00000000-0000-7000-8000-000000000002', '2026-11-22 01:22:55.036+00',
   '00000000-0000-7000-8000-000000000012', 1, '{kind:transfer,1,100000000190,m,rent,анна}');

insert into holds (id, account_id, amount, status, source_type, source_id, created_at, resolved_at) values
  ('01a200d9-5dbe-7c7e-b605-73c1f85afd94', '00000000-0000-7000-8000-000000000011', 1500000, 'released',
   'transfer', '00000000-0000-7000-8000-000000000202', '2026-11-22 01:22:54.972+00',
   '2026-11-22 01:22:55.047+00'),
  ('01a200d9-5dc5-7a03-9ecd-9a4529e435c2', '00000000-0000-7000-8000-000000000011', 1500000, 'released',
   'transfer', '00000000-0000-7000-8000-000000000203', '2026-11-22 01:22:54.972+00',
   '2026-11-22 01:22:55.054+00'),
  ('01a200d9-5dc6-7280-9f06-6ca942f93095', '00000000-0000-7000-8000-000000000011', 1500000, 'open',
   'transfer', '00000000-0000-7000-8000-000000000204', '2026-11-22 01:22:54.972+00', null);

insert into ledger_entries (account_id, seq, transaction_id, asset, amount, balance_after, booked_at,
  value_date, part) values
  ('00000000-0000-7000-8000-000000000011', 1, '01a200d9-5d9a-7041-96b3-ab973abe961a', 'EUR', 9000000,
   9000000, '2026-11-22 01:22:55.011+00', '2026-11-22', 'principal'),
  ('00000000-0000-7000-8000-000000000011', 2, '01a200d9-5dbc-788b-ad29-9341915e1945', 'EUR', -2500, 8997500,
   '2026-11-22 01:22:55.036+00', '2026-11-22', 'principal'),
  ('00000000-0000-7000-8000-000000000011', 3, '01a200d9-60cd-7cbc-8c87-97cc03bdd14b', 'EUR', -3000, 8994500,
   '2026-11-22 01:22:55.828+00', '2026-11-22', 'fee'),
  ('00000000-0000-7000-8000-000000000012', 1, '01a200d9-5dbc-788b-ad29-9341915e1945', 'EUR', 2500, 2500,
   '2026-11-22 01:22:55.036+00', '2026-11-22', 'principal'),
  ('01a200d9-5d7d-7eb7-b510-436e6fd2cadc', 1, '01a200d9-5d9a-7041-96b3-ab973abe961a', 'EUR', -9000000,
   -9000000, '2026-11-22 01:22:55.011+00', '2026-11-22', 'principal'),
  ('01a200d9-60ce-72b4-8614-fa74609ee91e', 1, '01a200d9-60cd-7cbc-8c87-97cc03bdd14b', 'EUR', 3000, 3000,
   '2026-11-22 01:22:55.828+00', '2026-11-22', 'fee');

insert into transfer_quotes (id, requested_by, type_code, source_account_id, destination_account_id, asset,
  amount, requires_approval, created_at, expires_at, target_asset, target_amount, fee_total) values
  ('00000000-0000-7000-8000-000000000301', '00000000-0000-7000-8000-000000000001', 'internal',
   '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000012', 'EUR', 100, false,
   '2026-11-22 01:22:54.972+00', '2099-01-01 00:00:00+00', 'EUR', 100, 0);

insert into transfers (id, kind, type_code, status, requested_by, customer_id, source_account_id,
  destination_account_id, asset, amount, description, reason, requires_approval, hold_id, transaction_id,
  failure_code, decided_by, decision_reason, created_at, approve_until, finished_at, target_asset,
  target_amount, fee_total, approved_by, approved_at) values
  ('00000000-0000-7000-8000-000000000101', 'adjustment', null, 'executed',
   '00000000-0000-7000-8000-000000000003', '00000000-0000-7000-8000-000000000001',
   '01a200d9-5d7d-7eb7-b510-436e6fd2cadc', '00000000-0000-7000-8000-000000000011', 'EUR', 9000000, 'Opening',
   'cash', true, null, '01a200d9-5d9a-7041-96b3-ab973abe961a', null, '00000000-0000-7000-8000-000000000004',
   'seen', '2026-11-22 01:22:54.972+00', '2026-11-22 02:22:54.989+00', '2026-11-22 01:22:55.026+00', 'EUR',
   9000000, 0, '00000000-0000-7000-8000-000000000004', '2026-11-22 01:22:55.026+00'),
  ('00000000-0000-7000-8000-000000000201', 'transfer', 'internal', 'executed',
   '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000001',
   '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000012', 'EUR', 2500, 'Rent 1',
   null, false, null, '01a200d9-5dbc-788b-ad29-9341915e1945', null, null, null, '2026-11-22 01:22:54.972+00',
   null, '2026-11-22 01:22:55.038+00', 'EUR', 2500, 0, null, '2026-11-22 01:22:55.038+00'),
  ('00000000-0000-7000-8000-000000000202', 'transfer', 'internal', 'rejected',
   '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000001',
   '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000012', 'EUR', 1500000, 'Rent 2',
   null, true, '01a200d9-5dbe-7c7e-b605-73c1f85afd94', null, null, '00000000-0000-7000-8000-000000000004',
   'no', '2026-11-22 01:22:54.972+00', '2099-01-01 00:00:00.045+00', '2026-11-22 01:22:55.052+00', 'EUR',
   1500000, 0, null, null),
  ('00000000-0000-7000-8000-000000000203', 'transfer', 'internal', 'failed',
   '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000001',
   '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000012', 'EUR', 1500000, 'Rent 3',
   null, true, '01a200d9-5dc5-7a03-9ecd-9a4529e435c2', null, 'account_blocked',
   '00000000-0000-7000-8000-000000000004', null, '2026-11-22 01:22:54.972+00', '2099-01-01 00:00:00.046+00',
   '2026-11-22 01:22:55.054+00', 'EUR', 1500000, 0, '00000000-0000-7000-8000-000000000004',
   '2026-11-22 01:22:55.054+00'),
  ('00000000-0000-7000-8000-000000000204', 'transfer', 'internal', 'pending_approval',
   '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000001',
   '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000012', 'EUR', 1500000, 'Rent 4',
   null, true, '01a200d9-5dc6-7280-9f06-6ca942f93095', null, null, null, null, '2026-11-22 01:22:54.972+00',
   '2099-01-01 00:00:00.046+00', null, 'EUR', 1500000, 0, null, null);

insert into search_words (owner_id, word) values
  ('00000000-0000-7000-8000-000000000001', '1'),
  ('00000000-0000-7000-8000-000000000001', '100000000287'),
  ('00000000-0000-7000-8000-000000000001', 'opening'),
  ('00000000-0000-7000-8000-000000000001', 'rent'),
  ('00000000-0000-7000-8000-000000000001', '明'),
  ('00000000-0000-7000-8000-000000000001', '王'),
  ('00000000-0000-7000-8000-000000000002', '1'),
  ('00000000-0000-7000-8000-000000000002', '100000000190'),
  ('00000000-0000-7000-8000-000000000002', 'm'),
  ('00000000-0000-7000-8000-000000000002', 'rent'),
  ('00000000-0000-7000-8000-000000000002', 'анна');

select setval('account_numbers', 1000000003);
select setval('ledger_transactions_position_seq', 3);
