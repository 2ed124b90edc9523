import { Migration } from '@mikro-orm/migrations';

/** One account's limits, apart from its type's: a customer is trusted with more, or takes out what had to stay before closing. */
export class AccountLimits extends Migration {
  override up(): void {
    this.addSql(`
      create function account_set_limits(target uuid, new_limit numeric, new_max numeric,
                                         out before_limit numeric, out before_max numeric, out refusal text)
      language plpgsql security definer set search_path = public, pg_temp as $$
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
      end $$;
      revoke execute on function account_set_limits from public;
      grant execute on function account_set_limits to teller_app;
    `);
  }
}
