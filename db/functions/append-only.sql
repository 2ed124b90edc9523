CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
      end $function$;
CREATE OR REPLACE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER ledger_transactions_append_only BEFORE DELETE OR UPDATE ON public.ledger_transactions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER ledger_transactions_no_truncate BEFORE TRUNCATE ON public.ledger_transactions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE ON public.ledger_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER accounts_never_deleted BEFORE DELETE ON public.accounts FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER assets_frozen BEFORE DELETE OR UPDATE ON public.assets FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER holds_never_deleted BEFORE DELETE ON public.holds FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER transfers_never_deleted BEFORE DELETE ON public.transfers FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER account_requests_never_deleted BEFORE DELETE ON public.account_requests FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER account_aml_flags_never_deleted BEFORE DELETE ON public.account_aml_flags FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER beneficiaries_stand BEFORE DELETE OR UPDATE ON public.beneficiaries FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER fee_rules_append_only BEFORE DELETE OR UPDATE ON public.fee_rules FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER fee_rules_no_truncate BEFORE TRUNCATE ON public.fee_rules FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER fee_rule_versions_append_only BEFORE DELETE OR UPDATE ON public.fee_rule_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER fee_rule_versions_no_truncate BEFORE TRUNCATE ON public.fee_rule_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER fx_rates_append_only BEFORE DELETE OR UPDATE ON public.fx_rates FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER fx_rates_no_truncate BEFORE TRUNCATE ON public.fx_rates FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER account_fees_never_deleted BEFORE DELETE ON public.account_fees FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER rail_payments_never_deleted BEFORE DELETE ON public.rail_payments FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER rail_messages_never_deleted BEFORE DELETE ON public.rail_messages FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE FUNCTION public.refuse_after_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        raise exception 'this row of % has ended', tg_table_name using errcode = 'restrict_violation';
      end $function$;
CREATE OR REPLACE TRIGGER tickets_end_stands BEFORE UPDATE ON public.tickets FOR EACH ROW WHEN ((old.status = 'closed'::text)) EXECUTE FUNCTION refuse_after_end();
CREATE OR REPLACE TRIGGER uploads_end_stands BEFORE UPDATE ON public.uploads FOR EACH ROW WHEN ((old.status <> 'pending'::text)) EXECUTE FUNCTION refuse_after_end();
CREATE OR REPLACE TRIGGER messages_end_stands BEFORE UPDATE ON public.messages FOR EACH ROW WHEN ((old.status <> 'queued'::text)) EXECUTE FUNCTION refuse_after_end();
CREATE OR REPLACE TRIGGER account_requests_end_stands BEFORE UPDATE ON public.account_requests FOR EACH ROW WHEN ((old.status <> 'pending'::text)) EXECUTE FUNCTION refuse_after_end();
CREATE OR REPLACE TRIGGER rail_payments_stand BEFORE UPDATE ON public.rail_payments FOR EACH ROW WHEN ((old.delivered_at IS NOT NULL)) EXECUTE FUNCTION refuse_after_end();
CREATE OR REPLACE TRIGGER rail_messages_stand BEFORE UPDATE ON public.rail_messages FOR EACH ROW WHEN ((old.handled_at IS NOT NULL)) EXECUTE FUNCTION refuse_after_end();
