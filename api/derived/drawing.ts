/** How schemas are drawn as JSON Schema, for the OpenAPI document and the reference. */
import { z } from 'zod';

/** One schema while it is drawn: what `override` of `z.toJSONSchema` is given. */
export interface Drawing {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

/** zod leaves out the examples of a request that holds a codec, because they could be meant for either side; ours are of the wire. */
export function keepExamples({ zodSchema, jsonSchema }: Drawing): void {
  const examples = z.globalRegistry.get(zodSchema)?.['examples'];
  if (!Array.isArray(examples) || jsonSchema.$ref !== undefined) return;
  // as the last of its members, so that a schema reads the same in requests and in answers
  delete jsonSchema.examples;
  jsonSchema.examples = examples;
}
