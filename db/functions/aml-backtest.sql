-- What a rule would have found in the past, by the text that judges payments.

-- Judges the next movements from one moment until before another, by customer and time, after the one that is
-- named. Returns how many it has looked at, null if somebody else looks at the moment; the last one; and what
-- the rule finds: by day of the bank, how many customers beside `known`, who had a hit before, how many of it
-- have a flag, and the newest ten with their explanations.
create or replace function aml_backtest(
  rule jsonb, since timestamptz, before timestamptz, last_customer uuid, last_at timestamptz, last_seq bigint,
  known uuid, most int,
  out looked int, out next_customer uuid, out next_at timestamptz, out next_seq bigint, out summary jsonb
) language plpgsql security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set max_parallel_workers_per_gather = 0 as $$
declare
  rules jsonb := jsonb_build_array(rule || jsonb_build_object('rule', name_uuid('backtest'), 'version', 1));
begin
  -- one at a time in all of the bank, so that payments keep the machine
  if not pg_try_advisory_xact_lock(7306, 2) then return; end if;
  execute 'with part as materialized (select h.* from aml_movements h
        where (h.customer_id, h.at, h.seq) > ($1, $2, $3) and h.at >= $4 and h.at < $5
        order by h.customer_id, h.at, h.seq limit $6),
      hit as materialized (select row(m.*)::aml_movements as m, v.outcome, exists (select from aml_hits x
          where x.subject_id = m.subject_id and x.flag_id is not null) as flagged
        from ' || aml_judging(rules, 'part') || '),
      day as (select bank_day((h.m).at) as day, count(*) filter (where h.outcome) as hits,
          count(*) filter (where h.outcome is null) as not_checked from hit h group by 1),
      sample as (select s.m, s.outcome from hit s order by (s.m).at desc limit 10),
      final as (select p.customer_id, p.at, p.seq from part p order by 1 desc, 2 desc, 3 desc limit 1)
    select (select count(*) from part), f.customer_id, f.at, f.seq, jsonb_build_object(
      ''days'', coalesce((select jsonb_agg(to_jsonb(d)) from day d), ''[]''),
      ''customers'', (select count(distinct (h.m).customer_id) from hit h
        where h.outcome and (h.m).customer_id is distinct from $7),
      ''last'', (select (h.m).customer_id from hit h where h.outcome order by 1 desc limit 1),
      ''flagged'', (select count(*) from hit h where h.outcome and h.flagged),
      ''samples'', coalesce((select jsonb_agg(jsonb_build_object(''at'', (s.m).at,
          ''customer_id'', (s.m).customer_id, ''subject_type'', (s.m).subject_type,
          ''subject_id'', (s.m).subject_id,
          ''outcome'', case when s.outcome then ''hit'' else ''not_checked'' end,
          ''explanation'', aml_explanation($8->>''code'', 1, $8->''condition'', s.m)))
        from sample s), ''[]''))
      from (select) always left join final f on true'
    into looked, next_customer, next_at, next_seq, summary
    using last_customer, last_at, last_seq, since, before, most, known, rule;
end $$;
grant execute on function aml_backtest to teller_app;

-- Returns what a rule has found within a time, and how its flags have ended.
create or replace function aml_figures(wanted uuid, since timestamptz, before timestamptz) returns jsonb
language sql stable security definer set search_path = public, pg_temp as $$
  select h.counted || f.counted from (
      select jsonb_build_object('hits', count(*) filter (where x.outcome = 'hit'),
          'not_checked', count(*) filter (where x.outcome = 'not_checked'),
          'suppressed', count(*) filter (where x.outcome = 'suppressed'),
          'shadow', count(*) filter (where x.outcome = 'shadow'),
          'held_movements', count(*) filter (where x.held),
          'held_base', round(coalesce(sum(x.amount_base) filter (where x.held), 0),
            (select a.scale from fx_settings s join assets a on a.code = s.base_asset))::text) as counted
        from aml_hits x where x.rule_id = wanted and x.at >= since and x.at < before) h, (
      select jsonb_build_object('open', count(*) filter (where o.resolved_at is null),
          'cleared', count(*) filter (where o.status = 'cleared'),
          'false_positive', count(*) filter (where o.status = 'false_positive'),
          'confirmed', count(*) filter (where o.status = 'confirmed'),
          'median_seconds', round(percentile_cont(0.5) within group (
            order by extract(epoch from o.resolved_at - o.created_at))::numeric)) as counted
        from aml_flags o where o.rule_id = wanted and o.created_at >= since and o.created_at < before) f
$$;
grant execute on function aml_figures to teller_app;
