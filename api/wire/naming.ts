/** Names of the wire schemas: the components of the OpenAPI document. */
import { z } from 'zod';

declare const WITH_EXAMPLE: unique symbol;

/** A schema that was named with an example. The mark is for the compiler only; the example is in zod's registry. */
export type Exemplified<S> = S & { readonly [WITH_EXAMPLE]: 'named with an example' };

const taken = new Set<string>();

/**
 * Names a schema for the OpenAPI document and gives it the example that the docs show and the derived tests mutate.
 * Refuses a second use of a name: zod would silently let the later schema replace the earlier one.
 */
export function named<S extends z.ZodType>(id: string, schema: S, example: z.input<S>): Exemplified<S>;
export function named<S extends z.ZodType>(id: string, schema: S): S;
export function named<S extends z.ZodType>(id: string, schema: S, example?: z.input<S>): S {
  if (taken.has(id)) throw new Error(`two wire schemas are named ${id}`);
  taken.add(id);
  return schema.meta(example === undefined ? { id } : { id, examples: [example] });
}

/** The example a schema was named with, looked up through optional, nullable and default wrappers. */
export function exampleOf(schema: z.core.$ZodType): unknown {
  const examples = z.globalRegistry.get(schema)?.['examples'];
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  const { def } = schema._zod;
  return 'innerType' in def && def.innerType instanceof z.core.$ZodType
    ? exampleOf(def.innerType)
    : undefined;
}

/** The example of a schema, to be a part of another one's. */
export const shown = <Schema extends z.ZodType>(schema: Exemplified<Schema>): z.input<Schema> =>
  exampleOf(schema) as z.input<Schema>;
