/** Between the names of the wire (`snake_case`) and those of the code (`camelCase`), where nothing but the names differs. */
import { z } from 'zod';

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type Renamed<Fields> = { readonly [Name in keyof Fields as Camel<Name & string>]: Fields[Name] };
type Given<Fields> = {
  readonly [
    Name in keyof Fields as undefined extends Fields[Name] ? never : Camel<Name & string>
  ]: Fields[Name];
} & {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? Camel<Name & string> : never]?: Exclude<
    Fields[Name],
    undefined
  >;
};

const camel = (name: string): string =>
  name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());

/**
 * Makes the view of a row whose properties are the schema's fields: it takes what the schema names and nothing else.
 * `viewOf(wire.AuditEntry)` reads `actorId` for `actor_id`.
 */
export function viewOf<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
): (row: Renamed<z.output<z.ZodObject<Shape>>>) => z.output<z.ZodObject<Shape>> {
  const fields = Object.keys(schema.shape).map((name) => [name, camel(name)] as const);
  return (row) =>
    // the parameter's type says that each field is there with the schema's type
    Object.fromEntries(fields.map(([name, property]) => [name, Reflect.get(row, property)])) as z.output<
      z.ZodObject<Shape>
    >;
}

/**
 * What a PATCH changes, by the names of the code: a field that was left out is left out, one that is null becomes null
 * (RFC 7396). For `em.assign`, or to be spread over what there is.
 */
export function patchOf<Fields extends object>(body: Fields): Given<Fields> {
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [camel(name), value])) as Given<Fields>;
}

/** What an answer looks like on the wire, for the audit log. */
export function written<Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>): z.input<Schema> {
  return z.encode(schema, value);
}
