CREATE OR REPLACE FUNCTION public.next_account_number()
 RETURNS text
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select n || lpad((98 - (n::numeric * 100) % 97)::text, 2, '0') from (select nextval('account_numbers')::text as n) s
  $function$;
revoke execute on function next_account_number from public;
grant execute on function next_account_number to teller_app;

CREATE OR REPLACE FUNCTION public.open_account(new_id uuid, new_owner uuid, type_id uuid, new_nickname text, new_number text, new_iban text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    insert into accounts (id, kind, owner_id, account_type_id, number, iban, nickname, asset, overdraft_limit, max_balance)
      select new_id, 'customer', new_owner, t.id, new_number, new_iban, new_nickname, t.asset, t.overdraft_limit - t.min_balance, t.max_balance
        from account_types t where t.id = type_id and t.enabled
      on conflict do nothing
  $function$;
revoke execute on function open_account from public;
grant execute on function open_account to teller_app;

CREATE OR REPLACE FUNCTION public.account_set_limits(target uuid, new_limit numeric, new_max numeric, OUT before_limit numeric, OUT before_max numeric, OUT refusal text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      declare a accounts;
      begin
        select * into a from accounts x where x.id = target and x.kind = 'customer' for no key update;
        before_limit := a.overdraft_limit;
        before_max := a.max_balance;
        refusal := case
          when a.id is null then 'not_found'
          when a.status = 'closed' then 'account_closed'
          when a.posted - a.held < - greatest(new_limit, 0) then 'overdraft_in_use' end;
        if refusal is null then
          update accounts set overdraft_limit = new_limit, max_balance = new_max where id = target;
        end if;
      end $function$;
revoke execute on function account_set_limits from public;
grant execute on function account_set_limits to teller_app;

CREATE OR REPLACE FUNCTION public.check_account_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  end $function$;
CREATE OR REPLACE TRIGGER accounts_change BEFORE UPDATE ON public.accounts FOR EACH ROW EXECUTE FUNCTION check_account_change();

CREATE OR REPLACE FUNCTION public.is_iban(iban text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
    select iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$' and (
      select string_agg(case when c ~ '[0-9]' then c else (ascii(c) - 55)::text end, '' order by n)::numeric % 97 = 1
        from regexp_split_to_table(substr(iban, 5) || left(iban, 4), '') with ordinality x(c, n))
  $function$;

CREATE OR REPLACE FUNCTION public.check_account_iban()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    if not is_iban(new.iban) then
      raise exception 'an IBAN has wrong check digits' using errcode = 'check_violation';
    end if;
    return new;
  end $function$;
CREATE OR REPLACE TRIGGER accounts_iban BEFORE INSERT OR UPDATE OF iban ON public.accounts FOR EACH ROW WHEN ((new.iban IS NOT NULL)) EXECUTE FUNCTION check_account_iban();
