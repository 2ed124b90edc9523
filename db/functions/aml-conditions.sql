-- From the condition of a rule to SQL. The condition is a tree of JSON (domain/aml/conditions.ts checks it);
-- the SQL reads rows of aml_movements: "m" is the movement that is judged, "h" one that is counted. Every
-- value goes through format(%L), so that no condition can be more than a condition. What is unknown is null,
-- and logic with three values does the rest.

-- Returns what kind of value an operand is; null for a constant.
create or replace function aml_kind(operand jsonb) returns text
language sql immutable as $$
  select case
    when operand ?| array['aggregate', 'add', 'sub', 'mul', 'div'] then 'number'
    when operand->>'field' in ('amount', 'amount_base', 'local_hour') then 'number'
    when operand->>'field' in ('counterparty_first_seen_age', 'account_age', 'dormant_for',
      'contact_changed_age') then 'duration'
    when operand->>'field' = 'is_round_to' then 'boolean'
    when operand ? 'field' then 'text' end
$$;

-- Returns what kind of values a leaf compares.
create or replace function aml_leaf_kind(leaf jsonb) returns text
language sql immutable set search_path = public, pg_temp as $$
  select coalesce(aml_kind(leaf->'left'), aml_kind(leaf->'right'),
    case when leaf->'left'->>'value' ~ '^-?[0-9]+([.][0-9]+)?$' then 'number' else 'text' end)
$$;

-- Returns the SQL of a constant.
create or replace function aml_constant(value jsonb, kind text) returns text
language sql immutable as $$
  select case kind
    when 'number' then format('%L::numeric', value #>> '{}')
    when 'duration' then format('%L::numeric', extract(epoch from (value #>> '{}')::interval))
    when 'boolean' then format('%L::boolean', value #>> '{}')
    else format('%L::text', value #>> '{}') end
$$;

-- Returns the SQL of a field of a row.
create or replace function aml_field(operand jsonb, source text) returns text
language sql immutable as $$
  select case operand->>'field'
    when 'currency' then source || '.asset'
    when 'counterparty_first_seen_age' then
      format('extract(epoch from %1$s.at - coalesce(%1$s.counterparty_first_at, %1$s.at))', source)
    when 'account_age' then format('extract(epoch from %1$s.at - %1$s.account_opened_at)', source)
    when 'dormant_for' then
      format('extract(epoch from %1$s.at - coalesce(%1$s.last_own_at, %1$s.account_opened_at))', source)
    when 'contact_changed_age' then
      format('case when %1$s.contact_changed_at <= %1$s.at
        then extract(epoch from %1$s.at - %1$s.contact_changed_at) else ''Infinity'' end', source)
    when 'local_hour' then
      format('extract(hour from %s.at at time zone %L)', source, operand->>'zone')
    when 'is_round_to' then format('(mod(%s.amount, %L::numeric) = 0)', source, operand->>'step')
    else format('%s.%I', source, operand->>'field') end
$$;

-- Returns the SQL of an operand. aggregates: all of the program; the value of the n-th one is a.x<n>.
create or replace function aml_operand(operand jsonb, source text, aggregates jsonb, kind text) returns text
language sql immutable strict set search_path = public, pg_temp as $$
  select case
    when operand ? 'value' then aml_constant(operand->'value', kind)
    when operand ? 'aggregate' then
      (select 'a.x' || n from jsonb_array_elements(aggregates) with ordinality x(known, n)
        where known = operand)
    when operand ? 'field' then aml_field(operand, source)
    when operand ? 'add' then '(' || aml_operand(operand->'add'->0, source, aggregates, 'number') || ' + '
      || aml_operand(operand->'add'->1, source, aggregates, 'number') || ')'
    when operand ? 'sub' then '(' || aml_operand(operand->'sub'->0, source, aggregates, 'number') || ' - '
      || aml_operand(operand->'sub'->1, source, aggregates, 'number') || ')'
    when operand ? 'mul' then '(' || aml_operand(operand->'mul'->0, source, aggregates, 'number') || ' * '
      || aml_operand(operand->'mul'->1, source, aggregates, 'number') || ')'
    -- sixty digits here and thirty where it is compared: a third, three times, is one
    else '(round(' || aml_operand(operand->'div'->0, source, aggregates, 'number') || ', 60) / nullif('
      || aml_operand(operand->'div'->1, source, aggregates, 'number') || ', 0))' end
$$;

-- Returns the SQL of an operand as it is compared.
create or replace function aml_compared(operand jsonb, source text, aggregates jsonb, kind text) returns text
language sql immutable strict set search_path = public, pg_temp as $$
  select case when kind = 'number' and not operand ? 'value'
    then 'round((' || aml_operand(operand, source, aggregates, kind) || ')::numeric, 30)'
    else aml_operand(operand, source, aggregates, kind) end
$$;

-- Returns the SQL of a leaf.
create or replace function aml_leaf(leaf jsonb, source text, aggregates jsonb) returns text
language sql immutable strict set search_path = public, pg_temp as $$
  select case
    when leaf->>'op' = 'between' then format('(%1$s >= %2$s and %1$s <= %3$s)', x.left,
      aml_compared(leaf->'right'->0, source, aggregates, x.kind),
      aml_compared(leaf->'right'->1, source, aggregates, x.kind))
    when leaf->>'op' in ('in', 'not_in') then format('(%s(%s = any (%s)))',
      case leaf->>'op' when 'not_in' then 'not ' else '' end, x.left,
      case when jsonb_typeof(leaf->'right') = 'array' then
        (select 'array[' || string_agg(aml_compared(r, source, aggregates, x.kind), ', ' order by n) || ']'
           from jsonb_array_elements(leaf->'right') with ordinality e(r, n))
      else format('coalesce((select l.entries from aml_value_lists l where l.code = %L), ''{}'')',
        leaf->'right'->>'list') end)
    else format('(%s %s %s)', x.left,
      case leaf->>'op' when 'eq' then '=' when 'ne' then '<>' when 'gt' then '>' when 'gte' then '>='
        when 'lt' then '<' else '<=' end,
      aml_compared(leaf->'right', source, aggregates, x.kind)) end
    from (select aml_leaf_kind(leaf) as kind,
            aml_compared(leaf->'left', source, aggregates, aml_leaf_kind(leaf)) as left) x
$$;

-- Returns the SQL of a condition: true, false, or null if its outcome hangs on what is unknown.
create or replace function aml_condition(node jsonb, source text, aggregates jsonb) returns text
language sql immutable strict set search_path = public, pg_temp as $$
  select case
    when node ? 'all' then coalesce((select '(' || string_agg(aml_condition(c, source, aggregates), ' and '
        order by n) || ')' from jsonb_array_elements(node->'all') with ordinality e(c, n)), 'true')
    when node ? 'any' then coalesce((select '(' || string_agg(aml_condition(c, source, aggregates), ' or '
        order by n) || ')' from jsonb_array_elements(node->'any') with ordinality e(c, n)), 'false')
    when node ? 'not' then '(not ' || aml_condition(node->'not', source, aggregates) || ')'
    else aml_leaf(node, source, aggregates) end
$$;

-- Returns the aggregates of conditions, each once.
create or replace function aml_aggregates(conditions jsonb) returns jsonb
language sql immutable as $$
  select coalesce(jsonb_agg(distinct a), '[]')
    from jsonb_path_query(conditions, 'lax $.** ? (exists(@.aggregate))') a where jsonb_typeof(a) = 'object'
$$;

-- Returns the seconds of an aggregate's window.
create or replace function aml_window(aggregate jsonb) returns bigint
language sql immutable as $$ select extract(epoch from (aggregate->>'window')::interval)::bigint $$;

-- Returns whether the counters of a customer answer an aggregate, however many movements there are.
create or replace function aml_is_counted(aggregate jsonb) returns boolean
language sql immutable as $$
  select not aggregate ? 'where' and (aggregate->>'aggregate' = 'count'
    or aggregate->>'aggregate' in ('sum', 'avg')
      and coalesce(aggregate->>'field', 'amount_base') = 'amount_base')
$$;

-- Returns the SQL of the rows that an aggregate looks at, "h" being a movement of its window.
create or replace function aml_scope(aggregate jsonb) returns text
language sql immutable as $$
  select concat_ws(' and ', case aggregate->>'over' when 'both' then 'true'
      else format('h.direction = %L', aggregate->>'over') end,
    case when aggregate->'include_current' = 'false' then 'h.seq + 0 < m.seq' end)
$$;

-- Returns the SQL of an aggregate that reads the movements of its window. A movement of which it is unknown
-- whether it counts, or how much, makes the whole unknown.
create or replace function aml_scanned(aggregate jsonb) returns text
language sql immutable set search_path = public, pg_temp as $$
  select format('case when count(*) filter (where %1$s and %2$s) = 0 then %3$s end',
    x.scope, x.doubt, case aggregate->>'aggregate'
      when 'count' then format('(count(*) filter (where %s))::numeric', x.counted)
      when 'count_distinct' then
        format('(count(distinct %s) filter (where %s))::numeric', x.value, x.counted)
      when 'sum' then format('coalesce(sum(%s) filter (where %s), 0)', x.value, x.counted)
      when 'avg' then format('round(sum(%1$s) filter (where %2$s), 60)
        / nullif(count(*) filter (where %2$s), 0)', x.value, x.counted)
      else format('max(%s) filter (where %s)', x.value, x.counted) end)
    from (select aml_scope(aggregate) as scope,
            aml_scope(aggregate) || ' and ' || w.condition as counted, v.value,
            case when aggregate->>'aggregate' = 'count' then format('(%s) is null', w.condition)
              else format('((%s) is null or (%1$s and %s is null))', w.condition, v.value) end as doubt
            from (select coalesce(aml_condition(aggregate->'where', 'h', '[]'), 'true') as condition) w,
                 (select aml_field(jsonb_build_object('field', coalesce(aggregate->>'field', 'amount_base')),
                    'h') as value) v) x
$$;

-- Returns the SQL of an aggregate that the counters answer: what there is now, less what there was before the
-- first movement of the window, less what has ended since.
create or replace function aml_counted(aggregate jsonb) returns text
language sql immutable set search_path = public, pg_temp as $$
  select case when aggregate->>'aggregate' = 'count' then s.count
    else format('case when %s = 0 then %s end', s.unrated, case aggregate->>'aggregate' when 'sum' then s.base
      else format('round(%s, 60) / nullif(%s, 0)', s.base, s.count) end) end
    from (
      select '(' || string_agg(format('m.%1$s_count - coalesce(f%2$s.%1$s_count, m.%1$s_count)
            - e%2$s.%1$s_count + %3$s', p.side, w.seconds, p.own), ' + ') || ')::numeric' as count,
          '(' || string_agg(format('m.%1$s_base - coalesce(f%2$s.%1$s_base, m.%1$s_base) - e%2$s.%1$s_base
            + coalesce(m.amount_base, 0) * %3$s', p.side, w.seconds, p.own), ' + ') || ')' as base,
          '(' || string_agg(format('m.%1$s_unrated - coalesce(f%2$s.%1$s_unrated, m.%1$s_unrated)
            - e%2$s.%1$s_unrated + (m.amount_base is null)::int * %3$s', p.side, w.seconds, p.own), ' + ')
            || ')' as unrated
        from (select aml_window(aggregate) as seconds) w, (
          select case d when 'outgoing' then 'out' else 'in' end as side,
              case when aggregate->'include_current' = 'false' then '0'
                else format('(m.direction = %L)::int', d) end as own
            from unnest(array['outgoing', 'incoming']) d
            where aggregate->>'over' in (d, 'both')) p) s
$$;

-- Returns the SQL that reads what aggregates need, once for each window, and names the value of the n-th
-- a.x<n>.
create or replace function aml_sources(aggregates jsonb) returns text
language sql immutable set search_path = public, pg_temp as $$
  with known as (
    select n, a, aml_window(a) as seconds, aml_is_counted(a) as counted
      from jsonb_array_elements(aggregates) with ordinality x(a, n)
  ), counters as (
    select string_agg(format($sql$
      left join lateral (select h.out_count, h.out_base, h.out_unrated, h.in_count, h.in_base, h.in_unrated
        from aml_movements h where h.customer_id = m.customer_id and h.seq + 0 < m.seq
          and h.at > m.at - interval '%1$s seconds' order by h.at, h.seq limit 1) f%1$s on true
      cross join lateral (select
          count(*) filter (where h.direction = 'outgoing') as out_count,
          coalesce(sum(h.amount_base) filter (where h.direction = 'outgoing'), 0) as out_base,
          count(*) filter (where h.direction = 'outgoing' and h.amount_base is null) as out_unrated,
          count(*) filter (where h.direction = 'incoming') as in_count,
          coalesce(sum(h.amount_base) filter (where h.direction = 'incoming'), 0) as in_base,
          count(*) filter (where h.direction = 'incoming' and h.amount_base is null) as in_unrated
        from aml_movements h where h.customer_id = m.customer_id and h.seq + 0 < m.seq and h.ended_at <= m.at
          and h.at > m.at - interval '%1$s seconds') e%1$s$sql$, seconds), '' order by seconds) as text
      from (select distinct seconds from known where counted) k
  ), scans as (
    select string_agg(format($sql$
      cross join lateral (select %2$s from (select h.* from aml_movements h
        where h.customer_id = m.customer_id and h.seq + 0 < m.seq and h.at > m.at - interval '%1$s seconds'
          and (h.ended_at is null or h.ended_at > m.at) union all select m.*) h) s%1$s$sql$,
        seconds, columns), '' order by seconds) as text
      from (select seconds, string_agg(aml_scanned(a) || ' as y' || n, ', ' order by n) as columns
        from known where not counted group by seconds) k
  )
  select coalesce(c.text, '') || coalesce(s.text, '') || coalesce((
      select ' cross join lateral (select ' || string_agg(
          case when counted then aml_counted(a) else format('s%s.y%s', seconds, n) end || ' as x' || n, ', '
          order by n) || ') a' from known), '')
    from counters c, scans s
$$;

-- Returns a query that judges the movement $1 by rules: [{ rule, version, applies_to, condition }]. It finds
-- the rules that hit, with outcome true, and those that could not be checked, with null.
create or replace function aml_query(rules jsonb) returns text
language sql immutable set search_path = public, pg_temp as $$
  select 'select v.rule, v.version, v.outcome from ' || aml_judging(rules, '(select ($1).*)')
$$;

-- Returns what such a query reads from: the movements of a source as "m", each with the rules "v" that it
-- meets.
create or replace function aml_judging(rules jsonb, source text) returns text
language sql immutable set search_path = public, pg_temp as $$
  select source || ' m ' || aml_sources(k.aggregates)
      || ' cross join lateral (values ' || coalesce(string_agg(format(
        '(%L::uuid, %s, case when m.kind = any (%L::text[]) then %s else false end)',
        r->>'rule', r->>'version', array(select jsonb_array_elements_text(r->'applies_to')),
        aml_condition(r->'condition', 'm', k.aggregates)), ', ' order by n), '(null::uuid, 0, false)')
      || ') v(rule, version, outcome) where v.outcome is not false'
    from (select aml_aggregates(rules) as aggregates) k
      left join jsonb_array_elements(rules) with ordinality e(r, n) on true
    group by k.aggregates
$$;
