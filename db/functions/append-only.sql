-- What is written once and never changed, or changed only until it has ended. Binds the owner of the tables
-- too.

-- Refuses every change of a row.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

create or replace trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_change();
create or replace trigger audit_log_no_truncate before truncate on audit_log
  for each statement execute function refuse_change();
create or replace trigger ledger_transactions_append_only before update or delete on ledger_transactions
  for each row execute function refuse_change();
create or replace trigger ledger_transactions_no_truncate before truncate on ledger_transactions
  for each statement execute function refuse_change();
create or replace trigger ledger_entries_append_only before update or delete on ledger_entries
  for each row execute function refuse_change();
create or replace trigger ledger_entries_no_truncate before truncate on ledger_entries
  for each statement execute function refuse_change();
create or replace trigger assets_frozen before update or delete on assets
  for each row execute function refuse_change();
create or replace trigger accounts_never_deleted before delete on accounts
  for each row execute function refuse_change();
create or replace trigger holds_never_deleted before delete on holds
  for each row execute function refuse_change();
create or replace trigger transfers_never_deleted before delete on transfers
  for each row execute function refuse_change();
create or replace trigger account_requests_never_deleted before delete on account_requests
  for each row execute function refuse_change();
create or replace trigger account_aml_flags_never_deleted before delete on account_aml_flags
  for each row execute function refuse_change();
create or replace trigger aml_flag_events_append_only before update or delete on aml_flag_events
  for each row execute function refuse_change();
create or replace trigger aml_hits_append_only before update or delete on aml_hits
  for each row execute function refuse_change();
create or replace trigger aml_flags_never_deleted before delete on aml_flags
  for each row execute function refuse_change();
create or replace trigger beneficiaries_stand before update or delete on beneficiaries
  for each row execute function refuse_change();
create or replace trigger fee_rules_append_only before update or delete on fee_rules
  for each row execute function refuse_change();
create or replace trigger fee_rules_no_truncate before truncate on fee_rules
  for each statement execute function refuse_change();
create or replace trigger fee_rule_versions_append_only before update or delete on fee_rule_versions
  for each row execute function refuse_change();
create or replace trigger fee_rule_versions_no_truncate before truncate on fee_rule_versions
  for each statement execute function refuse_change();
create or replace trigger fx_rates_append_only before update or delete on fx_rates
  for each row execute function refuse_change();
create or replace trigger fx_rates_no_truncate before truncate on fx_rates
  for each statement execute function refuse_change();
create or replace trigger account_fees_never_deleted before delete on account_fees
  for each row execute function refuse_change();
create or replace trigger rail_payments_never_deleted before delete on rail_payments
  for each row execute function refuse_change();
create or replace trigger rail_messages_never_deleted before delete on rail_messages
  for each row execute function refuse_change();

-- Refuses a change of a row that has ended: if two processes, or a repeat after a crash, disagree on how it
-- ended, the first one decides. Each trigger says when its table's rows have ended.
create or replace function refuse_after_end() returns trigger language plpgsql as $$
begin
  raise exception 'this row of % has ended', tg_table_name using errcode = 'restrict_violation';
end $$;

create or replace trigger tickets_end_stands before update on tickets
  for each row when (old.status = 'closed') execute function refuse_after_end();
create or replace trigger uploads_end_stands before update on uploads
  for each row when (old.status <> 'pending') execute function refuse_after_end();
create or replace trigger messages_end_stands before update on messages
  for each row when (old.status <> 'queued') execute function refuse_after_end();
create or replace trigger account_requests_end_stands before update on account_requests
  for each row when (old.status <> 'pending') execute function refuse_after_end();
create or replace trigger rail_payments_stand before update on rail_payments
  for each row when (old.delivered_at is not null) execute function refuse_after_end();
create or replace trigger rail_messages_stand before update on rail_messages
  for each row when (old.handled_at is not null) execute function refuse_after_end();
create or replace trigger aml_attachments_append_only before update or delete on aml_attachments
  for each row execute function refuse_change();
create or replace trigger aml_flag_states_append_only before update or delete on aml_flag_states
  for each row execute function refuse_change();
