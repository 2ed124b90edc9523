-- Why a rule has hit: every comparison with its values at that moment, the movements that were counted, and a
-- sentence. It is kept with the hit, whatever becomes of the rule.

-- Returns the comparisons of a condition with their places in it.
create or replace function aml_leaves(node jsonb, place text) returns table (pointer text, leaf jsonb)
language sql immutable strict set search_path = public, pg_temp as $$
  select l.pointer, l.leaf from (select case when node ? 'all' then 'all' else 'any' end) k(key),
    jsonb_array_elements(node->k.key) with ordinality e(c, n),
    lateral aml_leaves(c, format('%s/%s/%s', place, k.key, n - 1)) l
  union all select l.pointer, l.leaf from aml_leaves(node->'not', place || '/not') l
  union all select place, node where node ? 'op'
$$;

-- Returns an operand in words.
create or replace function aml_words(operand jsonb) returns text
language sql immutable strict set search_path = public, pg_temp as $$
  select case
    when jsonb_typeof(operand) = 'array' then
      (select string_agg(aml_words(o), ' and ' order by n) from jsonb_array_elements(operand)
        with ordinality e(o, n))
    when operand ? 'value' then operand->>'value'
    when operand ? 'list' then 'the list ' || (operand->>'list')
    when operand ? 'aggregate' then concat(operand->>'aggregate',
      case operand->>'aggregate' when 'count' then ''
        else ' of ' || coalesce(operand->>'field', 'amount_base') end,
      case operand->>'over' when 'both' then ' of all movements' else ' of ' || (operand->>'over')
        || ' movements' end,
      case when operand ? 'where' then ' that fit' end, ' within ', operand->>'window',
      case when operand->'include_current' = 'false' then ', without this one' end)
    when operand ? 'field' then concat_ws(' ', operand->>'field', operand->>'zone', operand->>'step')
    else (select '(' || string_agg(aml_words(o), format(' %s ', k.key) order by n) || ')'
      from jsonb_each(operand) k(key, pair), jsonb_array_elements(k.pair) with ordinality e(o, n)) end
$$;

-- Returns the SQL of an operand as people read it.
create or replace function aml_readable(operand jsonb, aggregates jsonb, kind text) returns text
language sql immutable strict set search_path = public, pg_temp as $$
  select case when jsonb_typeof(operand) = 'array' or operand ?| array['value', 'list']
    then format('%L::text', aml_words(operand))
    else format(case kind
        when 'number' then 'trim_scale(round((%s)::numeric, 18))::text'
        when 'duration' then 'justify_hours(make_interval(secs => nullif((%s)::float8, ''Infinity'')))::text'
        else '(%s)::text' end, aml_operand(operand, 'm', aggregates, kind)) end
$$;

-- Returns the SQL of the movements that an aggregate counts, the newest hundred.
create or replace function aml_counted_movements(aggregate jsonb) returns text
language sql immutable strict set search_path = public, pg_temp as $$
  select format('select x.subject_id from (select h.subject_id, h.seq from (select h.* from aml_movements h
      where h.customer_id = m.customer_id and h.seq + 0 < m.seq and h.at > m.at - interval ''%s seconds''
        and (h.ended_at is null or h.ended_at > m.at) union all select m.*) h
      where %s and %s order by h.seq desc limit 100) x', aml_window(aggregate), aml_scope(aggregate),
    coalesce(aml_condition(aggregate->'where', 'h', '[]'), 'true'))
$$;

-- Returns a query that explains how a condition judges the movement $1: an array of its comparisons.
create or replace function aml_explaining(condition jsonb) returns text
language sql immutable strict set search_path = public, pg_temp as $$
  select 'select jsonb_agg(v.leaf order by v.n) from (select ($1).*) m ' || aml_sources(k.aggregates)
      || ' cross join lateral (values ' || string_agg(format('(%s, jsonb_build_object(''pointer'', %L, '
        '''what'', %L, ''value'', %s, ''op'', %L, ''against'', %s, ''outcome'', %s, ''movements'', '
        'to_jsonb(array(%s))))', n, l.pointer, aml_words(l.leaf->'left'),
        aml_readable(l.leaf->'left', k.aggregates, aml_leaf_kind(l.leaf)), l.leaf->>'op',
        aml_readable(l.leaf->'right', k.aggregates, aml_leaf_kind(l.leaf)),
        aml_leaf(l.leaf, 'm', k.aggregates), coalesce((select string_agg(format('(%s)',
            aml_counted_movements(a)), ' union ') from jsonb_array_elements(aml_aggregates(l.leaf)) a),
          'select null::uuid where false')), ', ' order by n) || ') v(n, leaf)'
    from (select aml_aggregates(condition) as aggregates) k,
      aml_leaves(condition, '') with ordinality l(pointer, leaf, n)
    group by k.aggregates
$$;

-- Explains how a condition judges a movement.
create or replace function aml_explanation(code text, version int, condition jsonb, m aml_movements)
returns jsonb
language plpgsql stable set search_path = public, pg_temp
set enable_seqscan = off set enable_bitmapscan = off as $$
declare leaves jsonb;
begin
  execute aml_explaining(condition) into leaves using m;
  return jsonb_build_object('rule', code, 'version', version, 'leaves', coalesce(leaves, '[]'),
    'movements', (select coalesce(jsonb_agg(distinct i), '[]')
      from jsonb_array_elements(leaves) l, jsonb_array_elements(l->'movements') i),
    'text', coalesce((select string_agg(format('%s is %s (%s %s)', l->>'what',
        coalesce(l->>'value', 'unknown'), replace(l->>'op', '_', ' '), l->>'against'), '; ')
      from jsonb_array_elements(leaves) l where l->'outcome' <> 'false'), 'It applies to every movement.'));
end $$;
