-- On whose behalf settings are written. The application may write the tables below, but only for an active
-- administrator who holds the action: a transaction says for whom it acts, and the tables ask.

-- Says for whom this transaction acts, until it ends.
create or replace function act_as(actor uuid) returns void
language sql as $$ select set_config('teller.actor', actor::text, true) $$;
grant execute on function act_as to teller_app;

-- Returns for whom this transaction acts; null if it has not said so.
create or replace function acting_person() returns uuid
language sql stable as $$ select nullif(current_setting('teller.actor', true), '')::uuid $$;

-- Returns whether the application has sent the statement, and not the owner of the tables, who migrates them
-- and runs commands. Asked by functions that run as the owner.
create or replace function by_application() returns boolean
language sql stable as $$ select not pg_has_role(session_user, current_user, 'member') $$;

-- Raises an error unless this person holds the action and may use it.
create or replace function require_action(person uuid, action text) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  if missing_action(person, array[action]) is not null then
    raise exception 'only somebody who holds % may do this', action using errcode = '28T01';
  end if;
end $$;

-- Refuses a change unless the transaction acts for somebody who holds the action of the first argument. The
-- second names the column in which a row says who wrote it, which must be the same person. The owner of the
-- tables acts for nobody.
create or replace function require_author() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not by_application() then return new; end if;
  perform require_action(acting_person(), tg_argv[0]);
  if tg_nargs > 1 then
    if (to_jsonb(new) ->> tg_argv[1])::uuid is distinct from acting_person() then
      raise exception '% of % is not who it is written for', tg_argv[1], tg_table_name
        using errcode = '28T01';
    end if;
  end if;
  return new;
end $$;

create or replace trigger account_types_author before insert or update or delete on account_types
  for each statement execute function require_author('account_types:write');
create or replace trigger accounts_limits_author before update of overdraft_limit, max_balance on accounts
  for each statement execute function require_author('accounts:write');
create or replace trigger transfer_types_author before update on transfer_types
  for each statement execute function require_author('transfers:configure');
create or replace trigger transfer_type_currencies_author
  before insert or update or delete on transfer_type_currencies
  for each statement execute function require_author('transfers:configure');
create or replace trigger transfer_limits_author before insert or update or delete on transfer_limits
  for each statement execute function require_author('transfers:configure');
create or replace trigger fee_rules_author before insert on fee_rules
  for each statement execute function require_author('fees:write');
create or replace trigger fee_rule_versions_author before insert on fee_rule_versions
  for each row execute function require_author('fees:write', 'created_by');
create or replace trigger fx_rates_author before insert on fx_rates
  for each row execute function require_author('fx:write', 'created_by');
create or replace trigger aml_rules_author before insert or update or delete on aml_rules
  for each statement execute function require_author('aml:write');
create or replace trigger aml_rule_versions_author before insert on aml_rule_versions
  for each row execute function require_author('aml:write', 'created_by');
create or replace trigger aml_value_lists_author before insert or update on aml_value_lists
  for each row execute function require_author('aml:write', 'updated_by');
create or replace trigger users_admin_author before insert on users
  for each row when (new.role = 'admin') execute function require_author('users:write');
create or replace trigger admin_invitations_author
  before insert or update of token_hash, invited_by, expires_at on admin_invitations
  for each row execute function require_author('users:write', 'invited_by');

-- Refuses an administrator who does not begin as invited: pending, without a password. The owner of the
-- tables makes them as wanted, by command.
create or replace function check_new_admin() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if by_application() and (new.status <> 'pending' or new.password_hash is not null) then
    raise exception 'a new administrator is invited' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger users_admin_invited before insert on users
  for each row when (new.role = 'admin') execute function check_new_admin();

-- Refuses a password for an administrator who is invited, but by whoever takes the invitation.
create or replace function check_invited_password() returns trigger language plpgsql as $$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member') then
    raise exception 'the password comes with the invitation' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger users_invited_password before update of password_hash on users
  for each row when (old.role = 'admin' and old.status = 'pending') execute function check_invited_password();

-- Refuses a payment to the rail that is not what a booked transfer says: what the rail reports must be about
-- one of them.
create or replace function check_rail_payment() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if by_application() and not exists (select from transfers t where t.id = new.transfer_id
       and t.beneficiary_id is not null and t.transaction_id is not null
       and (t.target_asset, t.target_amount) = (new.asset, new.amount)) then
    raise exception 'rail payment % is of no booked transfer', new.transfer_id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;

create or replace trigger rail_payments_of_transfers before insert on rail_payments
  for each row execute function check_rail_payment();

-- Refuses a change that waits in the name of somebody else, or of somebody who could not ask for it.
create or replace function check_change_author() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if by_application() then
    perform require_action(acting_person(), new.permission);
    if new.requested_by is distinct from acting_person() then
      raise exception 'a change is asked for by whoever acts' using errcode = '28T01';
    end if;
  end if;
  return new;
end $$;

create or replace trigger pending_changes_author before insert on pending_changes
  for each row execute function check_change_author();

-- Refuses a review of a request to open an account by somebody who may not review.
create or replace function check_reviewer() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform require_action(new.decided_by, 'accounts:review');
  return new;
end $$;

create or replace trigger account_requests_reviewer before insert or update of status on account_requests
  for each row when (new.status in ('approved', 'rejected')) execute function check_reviewer();
