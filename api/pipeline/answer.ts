/** Step: what a handler answers, held to its declaration: the schema of the body, the status, the refusals it may give. */
import { z } from 'zod';
import type { Refusal } from '../../domain/refusals.ts';
import type { Frame } from './frame.ts';
import type { Operation } from '../declaration/operation.ts';
import { Provisional, Waiting } from '../declaration/outline.ts';
import type { Rendered } from './idempotency.ts';

/**
 * Writes the answer by its schema, whose codecs turn dates and money into their form on the wire. An undeclared field is a fault in development and test; in production it is
 * left out and logged, because it is the caller who would pay for the mistake.
 */
export function render(operation: Operation, outcome: unknown, frame: Frame): Rendered {
  if (outcome instanceof Waiting)
    return written(operation, 202, operation.waiting ?? null, outcome.body, frame);
  if (outcome instanceof Provisional)
    return { ...render(operation, outcome.body, frame), isProvisional: true };
  return written(operation, operation.status, operation.answer, outcome, frame);
}

function written(
  operation: Operation,
  status: number,
  answer: z.ZodType | null,
  outcome: unknown,
  frame: Frame,
): Rendered {
  if (answer === null) return { status, body: null };
  const read = z.safeEncode(answer, outcome);
  if (read.success) return { status, body: JSON.stringify(read.data) };
  const undeclared = read.error.issues.filter((issue) => issue.code === 'unrecognized_keys');
  const harmless = undeclared.length === read.error.issues.length;
  if (!harmless || frame.strict) throw new AnswerFault(operation, read.error);
  frame.services.log.error(
    { operation: operation.id, faults: placesOf(read.error) },
    'an answer held undeclared fields',
  );
  const stripped: unknown = structuredClone(outcome);
  for (const { path, keys } of undeclared) for (const key of keys) removeAt(stripped, path, key);
  return { status, body: JSON.stringify(z.encode(answer, stripped)) };
}

/** Holds a refusal to the declaration: outside production an undeclared one is a fault of the operation. */
export function admit(operation: Operation, refusal: Refusal, frame: Frame): Refusal {
  if (frame.refusalsOf(operation).has(refusal.code)) return refusal;
  if (frame.strict)
    throw new Error(`${operation.id} refused with ${refusal.code}, which it does not declare`);
  frame.services.log.error(
    { operation: operation.id, refused: refusal.code },
    'an operation gave an undeclared refusal',
  );
  return refusal;
}

/** An answer that does not fit its schema. Names the places, never the values. */
class AnswerFault extends Error {
  override readonly name = 'AnswerFault';

  constructor(operation: Operation, error: z.ZodError) {
    super(`the answer of ${operation.id} does not fit its schema: ${placesOf(error).join(', ')}`);
  }
}

function placesOf(error: z.ZodError): string[] {
  return error.issues.map((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? ` ${issue.keys.join(' ')}` : '';
    return `/${issue.path.join('/')} ${issue.code}${keys}`;
  });
}

function removeAt(value: unknown, path: readonly PropertyKey[], key: string): void {
  const holder = path.reduce<unknown>(
    (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  );
  if (typeof holder === 'object' && holder !== null) Reflect.deleteProperty(holder, key);
}
