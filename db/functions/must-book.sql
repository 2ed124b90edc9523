-- What must be booked because it has happened: a return of the rail, the clearing of a card payment, a
-- refund, a deposit. A command of ledger_post with "must": true passes balance, block and ceiling of the one
-- customer's account that it touches. A debit may leave that account below its limit: how far is marked on it
-- as unarranged. What an account cannot take at all, because it is closed, or a credit because it is frozen,
-- goes to the bank's suspense account, with the account it is for beside it: somebody has to look.

-- Returns whether a source may do more than others.
create or replace function source_may(wanted_type text, wanted_kind text, wanted text) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select exists (select from source_rights r
    where r.source_type = wanted_type and r.kind = wanted_kind and r.permits = wanted)
$$;

-- Raises an error unless a source may do more than others.
create or replace function require_source_right(wanted_type text, wanted_kind text, wanted text) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  if not source_may(wanted_type, wanted_kind, wanted) then
    raise exception 'a % of a % has no right to %', wanted_kind, wanted_type, wanted using errcode = '28T01';
  end if;
end $$;

-- Returns every account that commands may touch: what must be booked may go to suspense.
create or replace function ledger_accounts(commands jsonb) returns uuid[]
language sql set search_path = public, pg_temp as $$
  select array_agg(distinct id) from (
    select (e->>'account')::uuid from jsonb_array_elements(commands) c, jsonb_array_elements(c->'entries') e
    union all
    select house_account('suspense', a.asset, coalesce(c->>'spread', c->>'source_id')::uuid)
      from jsonb_array_elements(commands) c, jsonb_array_elements(c->'entries') e
      -- one by one, whatever the statistics say
      cross join lateral (select y.asset from accounts y
        where y.id = (e->>'account')::uuid and y.kind <> 'house' limit 1) a
      where c->'must' = 'true') x(id)
$$;

-- Looks at those commands that must be booked, under the locks of all accounts. Returns the commands with
-- suspense in the place of what takes nothing.
create or replace function must_prepare(commands jsonb) returns jsonb
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare touched uuid[] := ledger_accounts(commands); prepared jsonb; most int;
begin
  perform require_source_right(c->>'source_type', c->>'kind', 'must_book')
    from jsonb_array_elements(commands) c where c->'must' = 'true';
  perform 1 from accounts a where a.id = any (touched) order by a.id for no key update;
  select max(m.customers) into most from (
    select count(distinct a.id) as customers
      from jsonb_array_elements(commands) with ordinality c(body, n),
           jsonb_array_elements(c.body->'entries') e
      cross join lateral (select y.id from accounts y
        where y.id = (e->>'account')::uuid and y.kind <> 'house' limit 1) a
      where c.body->'must' = 'true' group by c.n) m;
  if most > 1 then raise exception 'what must be booked touches one customer''s account'; end if;
  select jsonb_agg(case when s.id is null then c.body else c.body || jsonb_build_object(
             'metadata', coalesce(c.body->'metadata', '{}')
               || jsonb_build_object('for_account', s.id, 'why', s.why),
             'entries', (select jsonb_agg(case when (e->>'account')::uuid = s.id
                 then e || jsonb_build_object('account', s.suspense) else e end order by k)
               from jsonb_array_elements(c.body->'entries') with ordinality x(e, k))) end order by c.n)
    into prepared
    from jsonb_array_elements(commands) with ordinality c(body, n)
    left join lateral (
      select a.id, case a.status when 'closed' then 'account_closed' else 'account_blocked' end as why,
             house_account('suspense', a.asset, coalesce(c.body->>'spread', c.body->>'source_id')::uuid)
               as suspense
        from jsonb_array_elements(c.body->'entries') e
        cross join lateral (select y.id, y.asset, y.status from accounts y
          where y.id = (e->>'account')::uuid and y.kind <> 'house' limit 1) a
       group by a.id, a.asset, a.status
       having a.status = 'closed' or (a.status = 'frozen' and sum((e->>'amount')::numeric) > 0)) s
      on c.body->'must' = 'true';
  return prepared;
end $$;
