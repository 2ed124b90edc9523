/**
 * Every answer can be written by its schema, and every example fits its own. A transform goes one way only, so one inside an answer would
 * fail when it is given.
 */
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Operation } from '../../../api/declaration/operation.ts';
import { operations } from '../../../api/operations.ts';
import { exampleOf } from '../../../api/wire/naming.ts';

const answers = operations.flatMap((operation: Operation) =>
  [operation.answer, operation.waiting].flatMap((schema) =>
    schema == null ? [] : ([[operation.id, schema]] as const),
  ),
);

/** Where in a schema something goes one way only. */
function oneWay(schema: z.core.$ZodType, path: string, seen = new Set<z.core.$ZodType>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const { def } = schema._zod;
  const isOneWay = def.type === 'transform' || (def.type === 'pipe' && !(schema instanceof z.core.$ZodCodec));
  if (isOneWay) return [path];
  return partsOf(def).flatMap(([name, part]) => oneWay(part, `${path}/${name}`, seen));
}

/** The schemas inside a schema, whatever its kind calls them. */
function partsOf(def: object): [string, z.core.$ZodType][] {
  return Object.entries(def).flatMap(([name, value]): [string, z.core.$ZodType][] => {
    if (value instanceof z.core.$ZodType) return [[name, value]];
    if (typeof value !== 'object' || value === null || name === 'checks') return [];
    return partsOf(value as object);
  });
}

test('the search for what goes one way finds it wherever it is', () => {
  const inner = z.string().transform((text) => text.length);
  const schema = z.object({
    items: z.array(z.union([z.null(), z.strictObject({ size: inner.optional() })])),
  });
  expect(oneWay(schema, '')).toEqual(['/items/element/1/size/innerType']);
});

test.each(answers)('the answer of %s goes both ways', (_id, schema) => {
  expect(oneWay(schema, '')).toEqual([]);
});

test.each(answers)('the answer of %s has an example, which is read and written as it was', (_id, schema) => {
  const example = exampleOf(schema);
  expect(example).toBeDefined();
  expect(z.encode(schema, schema.parse(example))).toEqual(example);
});

const bodies = operations.flatMap((operation: Operation) =>
  operation.body === undefined ? [] : ([[operation.id, operation.body]] as const),
);

test.each(bodies)('the body of %s has an example, which its own schema takes', (_id, schema) => {
  const example = exampleOf(schema);
  expect(example).toBeDefined();
  expect(schema.safeParse(example).error?.issues).toBeUndefined();
});
