/** The operations of which every change waits, because the configuration names them. */
import { z } from 'zod';
import { ConfigError } from '../../../config.ts';
import type { Guard } from '../../../services/platform/four-eyes.ts';
import type { Operation } from '../../declaration/operation.ts';
import { PendingChange } from '../../platform/changes/schemas.ts';
import { everyChange } from './four-eyes.ts';

/** The operations, those that are named with a guard that lets nothing through. Throws ConfigError for one that cannot wait. */
export function guardNamed(operations: readonly Operation[], named: readonly string[]): Operation[] {
  operations.filter(({ guard }) => guard !== null).forEach(requireNoSecret);
  for (const id of named) {
    const operation = operations.find((known) => known.id === id);
    const fault = operation === undefined ? 'is no operation' : faultOf(operation);
    if (fault !== undefined) throw new ConfigError(`FOUR_EYES_OPERATIONS: ${id} ${fault}`);
  }
  return operations.map((operation) => (named.includes(operation.id) ? guarded(operation) : operation));
}

/** Why changes by this operation cannot wait; undefined if they can. */
function faultOf(operation: Operation): string | undefined {
  const { access, effect, idempotency, method, body } = operation;
  if (access.auth !== 'admin' || access.permission === null)
    return 'is not for administrators with a permission';
  if (effect !== 'transaction') return 'is not carried out by one transaction';
  if (method === 'POST' && idempotency === 'none') return 'answers what only its caller may see';
  if (body !== undefined && hasSecret(body)) return 'takes a secret, which must not be kept';
  return undefined;
}

function requireNoSecret({ id, body }: Operation): void {
  if (body !== undefined && hasSecret(body))
    throw new Error(`${id}: a request with a secret cannot wait for a second administrator`);
}

/** A secret is a text of the format `password`, or of this name in the request. */
function hasSecret(schema: z.ZodType): boolean {
  const shape = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  return /"format":"password"|"(?:\w*_)?(?:password|secret|pin|token)":\{/.test(shape);
}

function guarded(operation: Operation): Operation {
  const guard = (params: unknown, config: Parameters<NonNullable<Operation['guard']>>[1]): Guard => {
    const own = operation.guard?.(params, config);
    return own === undefined ? everyChange(operation.path, params) : closing(own);
  };
  return { ...operation, guard, waiting: PendingChange };
}

/** Judges as the operation's own guard does, and lets nothing through. */
function closing(own: Guard): Guard {
  return {
    resource: own.resource,
    async watch(db, newId, view) {
      const { etag, judge } = await own.watch(db, newId, view);
      return { etag, judge: async (...looked) => ({ ...(await judge(...looked)), loosens: true }) };
    },
  };
}
