import { Migration } from '@mikro-orm/migrations';

/** Who may do what with an account's status is decided under the same lock that postings take, so no two moves cross. */
export class AccountStatus extends Migration {
  override up(): void {
    this.addSql('revoke update (status, closed_at) on accounts from teller_app');
    this.addSql(setStatus);
    this.addSql(flag);
    this.addSql(clearFlag);
  }
}

/**
 * open | blocked | closed, as often as wanted, until it is closed. Answers the status before, or a refusal. Frozen is the matter
 * of the flags below. What is closed holds nothing: neither money nor a hold, nor a flag that nobody has looked at.
 */
const setStatus = `
  create function account_set_status(target uuid, wanted text, out before text, out refusal text)
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
      when exists (select from account_aml_flags f where f.account_id = target and f.cleared_at is null) then 'account_flagged'
      when a.posted <> 0 or a.held <> 0 then 'account_not_empty' end;
    if refusal is null and a.status <> wanted then
      update accounts set status = wanted, closed_at = case wanted when 'closed' then clock_timestamp() end where id = target;
    end if;
  end $$;
  revoke execute on function account_set_status from public;
  grant execute on function account_set_status to teller_app;
`;

/** Raises a flag (raiser null: a rule), or freezes under the one that is open. Answers the flag and the account's status before. */
const flag = `
  create function account_flag(target uuid, raiser uuid, why text, freezes boolean, out flag_id uuid, out before text, out refusal text)
  language plpgsql security definer set search_path = public, pg_temp as $$
  declare a accounts; f account_aml_flags;
  begin
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
  revoke execute on function account_flag from public;
  grant execute on function account_flag to teller_app;
`;

/** Another person than who raised it or froze under it, and not the account's owner. Answers the account's status before and after. */
const clearFlag = `
  create function account_clear_flag(target uuid, clearer uuid, why text, out flag_id uuid, out before text, out after text, out refusal text)
  language plpgsql security definer set search_path = public, pg_temp as $$
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

    update account_aml_flags set cleared_by = clearer, clear_reason = why, cleared_at = clock_timestamp() where id = f.id;
    if a.status <> after then update accounts set status = after where id = target; end if;
  end $$;
  revoke execute on function account_clear_flag from public;
  grant execute on function account_clear_flag to teller_app;
`;
