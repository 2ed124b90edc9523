/** Step: path, query and body against the declaration. Every fault is named with a pointer, not only the first. */
import { z } from 'zod';
import { Refusal, type FieldFault } from '../../domain/refusals.ts';
import type { Operation } from '../declaration/operation.ts';
import type { Raw } from '../declaration/request.ts';
import { escapePointer, faultsOfText } from './http/text.ts';

const MAX_FAULTS = 50;

type Issue = z.core.$ZodIssue;
type Part = keyof Raw;
type Prepared = ReturnType<Operation['prepare']>;

/** Reads the three places by their schemas. Refuses invalid_request. */
export function validate(operation: Operation, raw: Raw): Prepared {
  const early = [
    ...faultsOfText(raw.params, (path) => `path${path}`),
    ...faultsOfQuery(operation, raw.query),
  ];
  if (early.length > 0) throw new Refusal('invalid_request', { errors: early });
  const reading = { ...raw, query: wrapLists(operation, raw.query) };
  try {
    return operation.prepare(reading);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    // the error does not say which place it is about and stops at the first, so all three are read again
    const parts: Part[] = ['params', 'query', 'body'];
    const errors = parts.flatMap((part) => faultsOf(operation, part, reading[part]));
    throw new Refusal('invalid_request', { errors: errors.slice(0, MAX_FAULTS) });
  }
}

/** The faults of a body by the schema of its operation, for a body that is not that of the call itself. */
export function faultsOfBody(operation: Operation, body: unknown): FieldFault[] {
  return faultsOf(operation, 'body', body).slice(0, MAX_FAULTS);
}

function faultsOfQuery(operation: Operation, query: unknown): FieldFault[] {
  const declared = fieldsOf(operation.query);
  return Object.entries(z.record(z.string(), z.unknown()).parse(query)).flatMap(([name, value]) => {
    const pointer = `query/${escapePointer(name)}`;
    const field = declared[name];
    if (field === undefined && takesUnknown(operation.query)) return [];
    if (field === undefined)
      return [{ pointer, code: 'unknown_parameter', detail: 'is not a parameter of this operation' }];
    if (Array.isArray(value) && !isList(field))
      return [{ pointer, code: 'repeated', detail: 'is given more than once' }];
    return faultsOfText(value, () => pointer);
  });
}

/** `?status=a` and `?status=a&status=b` both read as a list where a list is declared. */
function wrapLists(operation: Operation, query: unknown): unknown {
  const declared = fieldsOf(operation.query);
  const lists = Object.keys(declared).filter((name) => isList(declared[name]));
  if (lists.length === 0) return query;
  const entries = Object.entries(z.record(z.string(), z.unknown()).parse(query));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, lists.includes(name) && !Array.isArray(value) ? [value] : value]),
  );
}

function fieldsOf(schema: z.ZodType | undefined): Readonly<Record<string, z.core.$ZodType | undefined>> {
  return schema instanceof z.ZodObject ? schema.shape : {};
}

/** A query of another protocol than ours may grow. */
function takesUnknown(schema: z.ZodType | undefined): boolean {
  return schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodUnknown;
}

function isList(schema: z.core.$ZodType | undefined): boolean {
  if (schema === undefined) return false;
  if (schema instanceof z.core.$ZodArray) return true;
  const { def } = schema._zod;
  if ('innerType' in def && def.innerType instanceof z.core.$ZodType) return isList(def.innerType);
  return 'in' in def && def.in instanceof z.core.$ZodType && isList(def.in);
}

function faultsOf(operation: Operation, part: Part, value: unknown): FieldFault[] {
  const read = operation[part]?.safeParse(value);
  if (read === undefined || read.success) return [];
  return read.error.issues.flatMap((issue) => faultsOfIssue(issue, part, value, []));
}

function faultsOfIssue(
  issue: Issue,
  part: Part,
  value: unknown,
  outer: readonly PropertyKey[],
): FieldFault[] {
  const path = [...outer, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        pointer: pointerTo(part, [...path, key]),
        code: 'unknown_field',
        detail: 'is not a field of this request',
      }));
    case 'invalid_union': {
      // the branch that fits best tells most; a discriminator that fits none has no branches
      const [closest] = issue.errors.toSorted((a, b) => a.length - b.length);
      if (closest !== undefined && closest.length > 0) {
        return closest.flatMap((inner) => faultsOfIssue(inner, part, value, path));
      }
      break;
    }
    case 'invalid_type':
      if (valueAt(value, path) === undefined) {
        return [{ pointer: pointerTo(part, path), code: 'required', detail: 'is required' }];
      }
      break;
    default:
      break;
  }
  return [{ pointer: pointerTo(part, path), code: codeOf(issue), detail: issue.message }];
}

/** A rule of our own names its code in `params`; all others keep zod's. */
function codeOf(issue: Issue): string {
  const own: unknown = issue.code === 'custom' ? issue.params?.['code'] : undefined;
  return typeof own === 'string' ? own : issue.code;
}

function pointerTo(part: Part, path: readonly PropertyKey[]): string {
  const prefix = { params: 'path', query: 'query', body: '' }[part];
  return `${prefix}${path.map((step) => `/${escapePointer(String(step))}`).join('')}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  );
}
