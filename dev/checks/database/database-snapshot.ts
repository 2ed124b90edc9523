/**
 * Everything that a database of ours consists of, as text: what its catalogue says of schema `public`, and a hash of each
 * table's rows. Two databases whose snapshots are equal behave the same. Extensions are compared by version, so their own
 * functions and types are left out, and so are the tables in which the migrator takes its notes.
 */
import type pg from 'pg';

/** For each kind of object, what identifies one and what it says. */
export type Snapshot = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * `schema`: what the catalogue says. `bank`: the rows as well, for two databases that were made at different moments; ids drawn at
 * random and times of writing are left out. `exactly`: the rows with nothing left out and where the sequences stand, for one
 * database before and after something.
 */
export type Depth = 'schema' | 'bank' | 'exactly';

const NOTES = `('schema_migrations', 'schema_migrations_id_seq', 'schema_migrations_pkey', 'schema_functions',
  'schema_functions_pkey')`;
const ours = (classid: string, oid: string): string =>
  `not exists (select from pg_depend e
     where e.classid = '${classid}'::regclass and e.objid = ${oid} and e.deptype = 'e')`;
const RELATIONS = `pg_class c where c.relnamespace = 'public'::regnamespace and c.relname not in ${NOTES}
   and ${ours('pg_class', 'c.oid')}`;

/** Each statement answers `name` and `text`. Oids differ from database to database, so none stands in a text. */
const CATALOGUE: Readonly<Record<string, string>> = {
  function: `
    select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) || ' owner ' || p.proowner::regrole as text
      from pg_proc p where p.pronamespace = 'public'::regnamespace and ${ours('pg_proc', 'p.oid')}`,
  'function privilege': `
    select p.oid::regprocedure::text as name, array(select a::text from
        unnest(coalesce(p.proacl, acldefault('f', p.proowner))) a order by 1)::text as text
      from pg_proc p where p.pronamespace = 'public'::regnamespace and ${ours('pg_proc', 'p.oid')}`,
  relation: `
    select c.relname as name, concat_ws(' ', c.relkind, c.relpersistence, c.relreplident, c.relrowsecurity,
        c.relforcerowsecurity, c.relispartition, c.reloptions, 'owner', c.relowner::regrole) as text
      from ${RELATIONS}`,
  'relation privilege': `
    select c.relname as name, array(select a::text from unnest(coalesce(c.relacl,
        acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner))) a order by 1)::text as text
      from ${RELATIONS} and c.relkind in ('r', 'p', 'v', 'm', 'S')`,
  column: `
    select c.relname || '.' || a.attname as name, concat_ws(' ', rank() over (partition by c.oid order by a.attnum),
        format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation, case when a.attnotnull then 'not null' end,
        'generated ' || nullif(a.attgenerated::text, ''), 'identity ' || nullif(a.attidentity::text, ''),
        'default ' || pg_get_expr(d.adbin, d.adrelid), a.attstorage, a.attcompression, a.attstattarget, a.attoptions) as text
      from pg_attribute a join (select c.oid, c.relname from ${RELATIONS} and c.relkind in ('r', 'p', 'v', 'm')) c
        on c.oid = a.attrelid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attnum > 0 and not a.attisdropped`,
  'column privilege': `
    select c.relname || '.' || a.attname as name, array(select x::text from unnest(a.attacl) x order by 1)::text as text
      from pg_attribute a join (select c.oid, c.relname from ${RELATIONS}) c on c.oid = a.attrelid
     where a.attacl is not null and not a.attisdropped`,
  constraint: `
    select concat_ws(' ', coalesce(nullif(k.conrelid, 0)::regclass::text, k.contypid::regtype::text), k.conname) as name,
        concat_ws(' ', k.contype, k.convalidated, k.conenforced, pg_get_constraintdef(k.oid)) as text
      from pg_constraint k left join pg_class c on c.oid = k.conrelid
     where k.connamespace = 'public'::regnamespace and coalesce(c.relname not in ${NOTES}, true)`,
  index: `
    select c.relname as name, concat_ws(' ', pg_get_indexdef(c.oid), i.indisvalid, i.indisclustered, i.indisreplident) as text
      from (select c.oid, c.relname from ${RELATIONS} and c.relkind in ('i', 'I')) c
      join pg_index i on i.indexrelid = c.oid and i.indrelid not in
        (select oid from pg_class where relnamespace = 'public'::regnamespace and relname in ${NOTES})`,
  trigger: `
    select t.tgrelid::regclass || ' ' || t.tgname as name, t.tgenabled::text || ' ' || pg_get_triggerdef(t.oid) as text
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = 'public'::regnamespace and not t.tgisinternal`,
  sequence: `
    select s.seqrelid::regclass::text as name, concat_ws(' ', s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmin,
        s.seqmax, s.seqcache, s.seqcycle, 'of ' || (select pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
          from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = s.seqrelid and d.deptype in ('a', 'i'))) as text
      from pg_sequence s where s.seqrelid in (select c.oid from ${RELATIONS})`,
  domain: `
    select t.typname as name, concat_ws(' ', format_type(t.typbasetype, t.typtypmod), t.typnotnull, t.typdefault,
        t.typcollation::regcollation, 'owner', t.typowner::regrole) as text
      from pg_type t where t.typnamespace = 'public'::regnamespace and t.typtype = 'd' and ${ours('pg_type', 't.oid')}`,
  'type privilege': `
    select t.typname as name, array(select a::text from
        unnest(coalesce(t.typacl, acldefault('T', t.typowner))) a order by 1)::text as text
      from pg_type t left join pg_class c on c.oid = t.typrelid
     where t.typnamespace = 'public'::regnamespace and t.typtype in ('d', 'e', 'c') and ${ours('pg_type', 't.oid')}
       and coalesce(c.relname not in ${NOTES}, true)`,
  schema: `
    select n.nspname as name, concat_ws(' ', 'owner', n.nspowner::regrole, n.nspacl) as text
      from pg_namespace n where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`,
  extension: `select extname as name, extversion || ' in ' || extnamespace::regnamespace as text from pg_extension`,
  comment: `
    select pg_describe_object(d.classoid, d.objoid, d.objsubid) as name, d.description as text
      from pg_description d join pg_depend n on n.classid = d.classoid and n.objid = d.objoid
       and n.refclassid = 'pg_namespace'::regclass and n.refobjid = 'public'::regnamespace
     where not exists (select from pg_depend e where e.classid = d.classoid and e.objid = d.objoid and e.deptype = 'e')`,
  'default privilege': `
    select concat_ws(' ', d.defaclrole::regrole, nullif(d.defaclnamespace, 0)::regnamespace, d.defaclobjtype) as name,
        array(select a::text from unnest(d.defaclacl) a order by 1)::text as text
      from pg_default_acl d`,
  // views, policies, statistics and whatever else has no kind of its own here: at least their names agree
  'object of the schema': `
    select distinct pg_describe_object(d.classid, d.objid, d.objsubid) as name, '' as text
      from pg_depend d left join pg_class c on d.classid = 'pg_class'::regclass and c.oid = d.objid
      left join pg_type t on d.classid = 'pg_type'::regclass and t.oid = d.objid
     where d.refclassid = 'pg_namespace'::regclass and d.refobjid = 'public'::regnamespace
       and coalesce(c.relname, t.typname, '') not in ${NOTES}
       and not exists (select from pg_depend e where e.classid = d.classid and e.objid = d.objid and e.deptype = 'e')`,
};

interface Named {
  readonly name: string;
  readonly text: string;
}

/** Reads as the owner of the tables, in one snapshot, so that a bank in use can be looked at too. */
export async function snapshot(client: pg.Client, depth: Depth): Promise<Snapshot> {
  await client.query('begin isolation level repeatable read read only');
  try {
    const found = new Map<string, Map<string, string>>();
    for (const [kind, statement] of Object.entries(CATALOGUE))
      found.set(kind, await named(client, statement));
    if (depth !== 'schema') found.set('rows of a table', await hashedRows(client, depth));
    if (depth === 'exactly') {
      const places = `select sequencename as name, coalesce(last_value::text, '') as text from pg_sequences
        where schemaname = 'public' and sequencename not in ${NOTES}`;
      found.set('place of a sequence', await named(client, places));
    }
    return found;
  } finally {
    await client.query('rollback');
  }
}

/** What is not the same in both, a line each. */
export function differences(one: Snapshot, other: Snapshot): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((kind) => {
    const [left, right] = [one.get(kind), other.get(kind)];
    const names = [...new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])].sort();
    return names
      .filter((name) => left?.get(name) !== right?.get(name))
      .map(
        (name) => `${kind} ${name}:\n    ${left?.get(name) ?? '(none)'}\n    ${right?.get(name) ?? '(none)'}`,
      );
  });
}

/** A text of SQL without its layout: what is left if blanks and comments do not count. */
export function tokens(sql: string): string {
  const found = sql.match(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\/|[\w$]+|[^\s\w]/g) ?? [];
  return found.filter((token) => !/^(--|\/\*)/.test(token)).join(' ');
}

/** The same snapshot with the layout of functions left out. */
export function withoutLayout(of: Snapshot): Snapshot {
  const laidOut = new Map([...(of.get('function') ?? [])].map(([name, text]) => [name, tokens(text)]));
  return new Map([...of, ['function', laidOut]]);
}

/** How many of each kind there are: a comparison of nothing with nothing would agree too. */
export function counts(of: Snapshot): string {
  return [...of]
    .filter(([, objects]) => objects.size > 0)
    .map(([kind, objects]) => `${kind} ${objects.size}`)
    .join(', ');
}

async function named(client: pg.Client, statement: string): Promise<Map<string, string>> {
  const { rows } = await client.query<Named>(statement);
  const found = new Map(rows.map(({ name, text }) => [name, text]));
  if (found.size !== rows.length) throw new Error(`two objects have one name in: ${statement}`);
  return found;
}

async function hashedRows(client: pg.Client, depth: Depth): Promise<Map<string, string>> {
  const made =
    depth === 'exactly'
      ? 'false'
      : `coalesce(pg_get_expr(d.adbin, d.adrelid) ~ 'now\\(\\)|uuidv7\\(\\)', false)`;
  const tables = await named(
    client,
    `select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as text
       from (select c.oid, c.relname from ${RELATIONS} and c.relkind = 'r') c
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where not (${made}) group by c.relname`,
  );
  const hashes = new Map<string, string>();
  for (const [table, columns] of tables) {
    const { rows } = await client.query<{ text: string }>(
      `select count(*) || ' rows ' || coalesce(md5(string_agg(md5(row(${columns})::text), '' order by md5(row(${columns})::text))), '')
         as text from "${table}"`,
    );
    hashes.set(table, rows[0]?.text ?? '');
  }
  return hashes;
}
