/** The fields of a schema as a flat table: `items[].balance.amount` says more at a glance than a tree to unfold. */
import { z } from 'zod';
import { keepExamples } from './drawing.ts';

const MAX_DEPTH = 4;

export interface Field {
  /** Path from the top: `destination.account_id`, `items[].id`. */
  readonly name: string;
  readonly kind: string;
  readonly optional: boolean;
  readonly description: string;
}

type Drawn = z.core.JSONSchema.BaseSchema;

/** All fields of an object schema, nested ones below their holder. Money stands for itself. */
export function fieldsOf(schema: z.ZodType, io: 'input' | 'output'): Field[] {
  const drawn = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: keepExamples });
  const named = drawn.$defs ?? {};
  const resolve = (part: Drawn): { part: Drawn; name: string | undefined } => {
    const name = /^#\/\$defs\/(.+)$/.exec(part.$ref ?? '')?.[1];
    const target = name === undefined ? undefined : named[name];
    return { part: target === undefined ? part : { ...target, ...withoutReference(part) }, name };
  };

  function list(holder: Drawn, path: string, depth: number): Field[] {
    const required = new Set(holder.required ?? []);
    return Object.entries(holder.properties ?? {}).flatMap(([key, value]) => {
      const { part, name } = resolve(asSchema(value));
      const { inner, suffix, nullable } = unwrap(part, resolve);
      const field: Field = {
        name: `${path}${key}`,
        kind: `${name ?? kindOf(inner)}${suffix}${nullable ? ' or null' : ''}`,
        optional: !required.has(key),
        description: part.description ?? inner.description ?? '',
      };
      const isMoney = name === 'Money' || name === 'Holding' || depth === MAX_DEPTH;
      const branches = isMoney
        ? []
        : [inner, ...(inner.anyOf ?? inner.oneOf ?? []).map((one) => resolve(asSchema(one)).part)];
      return [field, ...branches.flatMap((branch) => list(branch, `${path}${key}${suffix}.`, depth + 1))];
    });
  }
  return list(resolve(drawn).part, '', 1);
}

/** Looks through `x or null` and into lists. */
function unwrap(
  part: Drawn,
  resolve: (part: Drawn) => { part: Drawn },
): { inner: Drawn; suffix: string; nullable: boolean } {
  const choices = (part.anyOf ?? []).map(asSchema);
  const present = choices.filter(({ type }) => type !== 'null');
  const [only] = present;
  if (only !== undefined && present.length === 1 && choices.length === 2) {
    return { ...unwrap(resolve(only).part, resolve), nullable: true };
  }
  if (part.type !== 'array' || part.items === undefined || Array.isArray(part.items)) {
    return { inner: part, suffix: '', nullable: false };
  }
  const items = unwrap(resolve(asSchema(part.items)).part, resolve);
  return { ...items, suffix: `[]${items.suffix}`, nullable: false };
}

function kindOf(part: Drawn): string {
  if (part.const !== undefined) return JSON.stringify(part.const);
  if (part.enum !== undefined) return part.enum.map((value) => String(value)).join(' | ');
  const choices = part.anyOf ?? part.oneOf;
  if (choices !== undefined) return 'one of';
  const limits = [part.minimum, part.maximum].filter(
    (limit) => limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER,
  );
  const range = limits.length === 2 ? ` ${limits.join('…')}` : '';
  const length = part.maxLength === undefined ? '' : `, at most ${String(part.maxLength)}`;
  return `${part.format ?? [part.type ?? 'any'].flat().join(' or ')}${range}${length}`;
}

/** JSON Schema also has `true` and `false`, which say nothing about fields. */
function asSchema(value: z.core.JSONSchema._JSONSchema): Drawn {
  return typeof value === 'boolean' ? {} : value;
}

function withoutReference({ $ref: _reference, ...rest }: Drawn): Drawn {
  return rest;
}
