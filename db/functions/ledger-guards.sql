CREATE OR REPLACE FUNCTION public.check_entries()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
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
  end $function$;
CREATE OR REPLACE TRIGGER ledger_entries_check AFTER INSERT ON public.ledger_entries REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION check_entries();

CREATE OR REPLACE FUNCTION public.check_account_balance()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
  declare now_posted numeric; now_seq bigint; last_balance numeric; last_seq bigint;
  begin
    select posted, entry_seq into now_posted, now_seq from accounts where id = new.id;
    select balance_after, seq into last_balance, last_seq from ledger_entries where account_id = new.id order by seq desc limit 1;
    if now_posted is distinct from coalesce(last_balance, 0) or now_seq is distinct from coalesce(last_seq, 0) then
      raise exception 'account % does not agree with its entries', new.id using errcode = 'check_violation';
    end if;
    return null;
  end $function$;
drop trigger if exists accounts_agree on accounts;
CREATE CONSTRAINT TRIGGER accounts_agree AFTER INSERT OR UPDATE OF posted, entry_seq ON public.accounts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_account_balance();

CREATE OR REPLACE FUNCTION public.check_hold_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    if old.status <> 'open' or (new.id, new.account_id, new.amount, new.source_type, new.source_id)
       is distinct from (old.id, old.account_id, old.amount, old.source_type, old.source_id) then
      raise exception 'hold % is resolved', old.id using errcode = 'restrict_violation';
    end if;
    return new;
  end $function$;
CREATE OR REPLACE TRIGGER holds_change BEFORE UPDATE ON public.holds FOR EACH ROW EXECUTE FUNCTION check_hold_change();
