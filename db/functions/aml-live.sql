-- The rules in force as one function, so that what they share is read once for each movement. It is made anew
-- whenever a rule is changed; at first, and without rules, it finds nothing.

-- Returns the rules that a movement meets (true) or that could not be checked (null).
create or replace function aml_live_outcomes(aml_movements)
returns table (rule uuid, version int, outcome boolean)
language plpgsql stable set search_path = public, pg_temp set plan_cache_mode = force_generic_plan
as 'begin return; end';

-- Makes the function above from the rules that are live or in shadow.
create or replace function aml_rebuild() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare rules jsonb;
begin
  -- two at once would write the same row of the catalogue
  perform pg_advisory_xact_lock(7306, 1);
  select jsonb_agg(jsonb_build_object('rule', r.id, 'version', v.version, 'applies_to', v.applies_to,
           'condition', v.condition) order by r.id)
    into rules from aml_rules r join aml_rule_versions v on v.rule_id = r.id and v.version = r.version
    where r.status in ('live', 'shadow');
  execute format('create or replace function aml_live_outcomes(aml_movements) '
    || 'returns table (rule uuid, version int, outcome boolean) language plpgsql stable '
    || 'set search_path = public, pg_temp set plan_cache_mode = force_generic_plan '
    || 'set enable_seqscan = off set enable_bitmapscan = off as %L',
    case when rules is null then 'begin return; end'
      else 'begin return query ' || aml_query(rules) || '; end' end);
end $$;

-- Makes the function anew after a change of rules.
create or replace function aml_rules_changed() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op <> 'INSERT' and old.status in ('live', 'shadow')
     or tg_op <> 'DELETE' and new.status in ('live', 'shadow') then
    perform aml_rebuild();
  end if;
  return null;
end $$;
-- at the end of the statement, when the version that it names is there
create or replace trigger aml_rules_rebuild after insert or update or delete on aml_rules
  for each row execute function aml_rules_changed();

-- what was compiled by the text of before is compiled by this one
select aml_rebuild();
