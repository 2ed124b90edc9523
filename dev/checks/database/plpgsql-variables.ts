/** Variables of a PL/pgSQL function in the text of its statements. */
import { parse } from 'libpg-query';
import { z } from 'zod';

export interface Variables {
  /** Each variable's type as PostgreSQL names it; `record` if only a query says it. */
  readonly types: ReadonlyMap<string, string>;
  /** The tables: a variable of such a type has fields. */
  readonly composites: ReadonlySet<string>;
  /** The columns of records, by what fills them. */
  readonly records: Map<string, ReadonlyMap<string, string>>;
}

const Field = z.union([
  z.object({ String: z.object({ sval: z.string() }) }).transform((field) => field.String.sval),
  z.object({ A_Star: z.unknown() }).transform(() => '*'),
]);
const ColumnRef = z.object({
  ColumnRef: z.object({ fields: z.array(Field).min(1), location: z.number().default(0) }),
});

/** The statement with a null of the right type in each place where it names a variable. */
export async function substitute(sql: string, functionName: string, variables: Variables): Promise<string> {
  const bytes = Buffer.from(sql);
  const places = columnRefs(await parse(sql)).sort((one, other) => other.location - one.location);
  let text = sql;
  for (const { fields, location } of places) {
    // a variable may be named with its function before it
    const names = fields[0] === functionName && fields.length > 1 ? fields.slice(1) : fields;
    const value = valueOf(names, variables);
    if (value === undefined) continue;
    const at = bytes.subarray(0, location).toString().length;
    const written = new RegExp(`\\S+?(?:\\s*\\.\\s*\\S+?){${fields.length - 1}}(?![\\w$])`, 'y');
    written.lastIndex = at;
    const [replaced = ''] = written.exec(text) ?? [];
    text = text.slice(0, at) + value + text.slice(at + replaced.length);
  }
  return text;
}

/** Undefined for a column of a table. */
function valueOf([name = '', field, ...more]: readonly string[], variables: Variables): string | undefined {
  const type = variables.types.get(name);
  if (type === undefined || more.length > 0) return undefined;
  if (field === undefined) return type === 'record' ? undefined : `(null::${type})`;
  const column = variables.records.get(name)?.get(field);
  if (column !== undefined) return `(null::${column})`;
  return variables.composites.has(type) ? `((null::${type}).${field})` : undefined;
}

function columnRefs(tree: unknown): { fields: string[]; location: number }[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const { data } = ColumnRef.safeParse(tree);
  return [...(data === undefined ? [] : [data.ColumnRef]), ...Object.values(tree).flatMap(columnRefs)];
}
