-- The status of an account and the flags of the money-laundering watch. Each function takes the lock that
-- postings take, so no two changes cross.

-- Opens, blocks or closes an account, as often as wanted until it is closed. Returns the status before, or a
-- refusal. To freeze is a matter of the flags below. An account that is closed holds nothing: no money, no
-- hold, no credit that is provisional, no flag that nobody has reviewed.
create or replace function account_set_status(target uuid, wanted text, out before text, out refusal text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare a accounts;
begin
  if wanted not in ('open', 'blocked', 'closed') then raise exception 'no such status to set'; end if;
  select * into a from accounts x where x.id = target and x.kind = 'customer' for no key update;
  before := a.status;
  refusal := case
    when a.id is null then 'not_found'
    when a.status = wanted then null
    when a.status = 'closed' then 'account_closed'
    when a.status = 'frozen' then 'account_frozen'
    when wanted <> 'closed' then null
    when exists (select from account_aml_flags f where f.account_id = target and f.cleared_at is null)
      then 'account_flagged'
    when a.posted <> 0 or a.held <> 0
      or exists (select from holds h where h.account_id = target and h.status = 'open')
      or exists (select from card_disputes d where d.credited_account_id = target and d.status = 'filed')
      then 'account_not_empty' end;
  if refusal is null and a.status <> wanted then
    update accounts set status = wanted, closed_at = case wanted when 'closed' then bank_now() end
      where id = target;
  end if;
end $$;
grant execute on function account_set_status to teller_app;

-- Raises a flag (a rule raises it if raiser is null), or freezes the account under the flag that is open.
-- Returns the flag and the account's status before, or a refusal.
create or replace function account_flag(
  target uuid, raiser uuid, why text, freezes boolean, out flag_id uuid, out before text, out refusal text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare a accounts; f account_aml_flags;
begin
  if raiser is not null then perform require_action(raiser, 'aml:review'); end if;
  select * into a from accounts x where x.id = target and x.kind = 'customer' for no key update;
  select * into f from account_aml_flags x where x.account_id = target and x.cleared_at is null;
  before := a.status;
  refusal := case
    when a.id is null then 'not_found'
    when a.status = 'closed' then 'account_closed'
    when f.id is not null and (f.frozen or not freezes) then 'account_flagged' end;
  if refusal is not null then return; end if;

  if f.id is null then
    insert into account_aml_flags (account_id, raised_by, reason, frozen, status_before)
      values (target, raiser, why, freezes, case when freezes then a.status end) returning id into flag_id;
  else
    update account_aml_flags set frozen = true, frozen_by = raiser, status_before = a.status where id = f.id;
    flag_id := f.id;
  end if;
  if freezes then update accounts set status = 'frozen' where id = target; end if;
end $$;
grant execute on function account_flag to teller_app;

-- Clears the open flag. It must be somebody who may review flags, another person than the one who raised it
-- or froze the account under it, and not the account's owner. Returns the flag and the account's status
-- before and after, or a refusal.
create or replace function account_clear_flag(
  target uuid, clearer uuid, why text, out flag_id uuid, out before text, out after text, out refusal text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare a accounts; f account_aml_flags;
begin
  select * into a from accounts x where x.id = target and x.kind = 'customer' for no key update;
  select * into f from account_aml_flags x where x.account_id = target and x.cleared_at is null;
  before := a.status;
  after := coalesce(f.status_before, a.status);
  flag_id := f.id;
  refusal := case
    when a.id is null then 'not_found'
    when f.id is null then 'account_not_flagged'
    when clearer in (f.raised_by, f.frozen_by, a.owner_id) then 'same_person' end;
  if refusal is not null then return; end if;
  perform require_action(clearer, 'aml:review');

  update account_aml_flags set cleared_by = clearer, clear_reason = why, cleared_at = bank_now()
    where id = f.id;
  if a.status <> after then update accounts set status = after where id = target; end if;
end $$;
grant execute on function account_clear_flag to teller_app;

-- Refuses to rewrite a flag: it may be frozen under and cleared, once each.
create or replace function check_aml_flag_change() returns trigger language plpgsql as $$
begin
  if old.cleared_at is not null or (old.frozen and not new.frozen)
     or (new.id, new.account_id, new.raised_by, new.reason, new.raised_at)
        is distinct from (old.id, old.account_id, old.raised_by, old.reason, old.raised_at) then
    raise exception 'flag % cannot be rewritten', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger account_aml_flags_change before update on account_aml_flags
  for each row execute function check_aml_flag_change();
