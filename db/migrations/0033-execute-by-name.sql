-- Functions can be called by roles that are named, no longer by everybody. The grants are beside the
-- functions, in db/functions.

alter default privileges revoke execute on functions from public;

-- a bank from before the baseline has all its functions already, a new bank those of the baseline
do $$
declare existing regprocedure;
begin
  for existing in
    select p.oid from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.proowner = current_user::regrole
  loop
    execute format('revoke execute on function %s from public', existing);
  end loop;
end $$;

-- the functions of the baseline run as the application when it writes users and fee_rule_versions
grant execute on function search_form, fee_tiers_ascend to teller_app;
