-- Business time is read from bank_now() everywhere, also by what fills in a column.

-- Returns the time of the bank, to the millisecond. Each call reads the clock anew.
create or replace function bank_now() returns timestamptz
language sql volatile as $$ select date_trunc('milliseconds', clock_timestamp()) $$;
revoke execute on function bank_now from public;
grant execute on function bank_now to teller_app;

-- Logins, their codes and tokens, addresses for uploads, and the log of proofs keep the time of the machine.
do $$
declare found record;
begin
  for found in
    select t.relname as table_name, c.attname as column_name
      from pg_attrdef d
      join pg_attribute c on c.attrelid = d.adrelid and c.attnum = d.adnum
      join pg_class t on t.oid = d.adrelid and t.relnamespace = 'public'::regnamespace
      where pg_get_expr(d.adbin, d.adrelid) in
          ('now()', 'clock_timestamp()', 'date_trunc(''milliseconds''::text, now())')
        and t.relname not in ('admin_invitations', 'challenges', 'code_failures', 'code_guesses',
          'contact_changes', 'ledger_checks', 'recovery_codes', 'refresh_tokens', 'registrations',
          'schema_functions', 'sessions', 'signing_keys', 'step_up_uses', 'totp_factors', 'uploads')
        and c.attname <> 'email_verified_at'
  loop
    execute format('alter table %I alter column %I set default bank_now()',
      found.table_name, found.column_name);
  end loop;
end $$;
