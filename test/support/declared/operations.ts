/** Calls made up from a declaration alone, right but for what a test breaks. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { exampleOf } from '../../../api/wire/naming.ts';
import type { Operation } from '../../../api/declaration/operation.ts';
import type { Bank, Person } from '../bank/bank.ts';
import { apiClient, newKey, type Answered, type ApiClient, type CallOptions } from '../client.ts';

/** The JSON object that the body's example is; the derived tests break it in every way. */
export type Example = Readonly<Record<string, unknown>>;

/** Somebody who may call the operation, if need be with the permission and a fresh step-up. */
export async function callerOf(operation: Operation, bank: Bank): Promise<Person | undefined> {
  const { access } = operation;
  switch (access.auth) {
    case 'public':
    case 'signature':
      return undefined;
    case 'user':
      return bank.customer();
    case 'admin':
      return access.permission === null ? bank.admin() : bank.admin(access.permission);
  }
}

/** A well-formed call of the operation on nothing that exists. `changes` is what the test breaks. */
export async function callMadeUp(
  operation: Operation,
  caller: Person | undefined,
  changes: CallOptions & { readonly path?: string } = {},
): Promise<Answered> {
  const { access, method, path, body, idempotency } = operation;
  const needsStepUp = 'stepUp' in access && access.stepUp;
  return apiClient().call(method, changes.path ?? pathOf(path, operation.params), {
    token: caller?.token,
    stepUp: needsStepUp ? await caller?.stepUp(operation.id, linkedBody(operation, changes)) : undefined,
    key: idempotency === 'none' ? undefined : newKey(),
    ...(body === undefined || changes.bytes !== undefined ? {} : { body: bodyExample(operation) }),
    ...changes,
  });
}

/** What a token is linked to; a body that is no object never gets that far. */
function linkedBody(operation: Operation, { body }: CallOptions): object | undefined {
  if (typeof body === 'object' && body !== null) return body;
  return operation.body === undefined ? undefined : bodyExample(operation);
}

/** The declared path with an id that nothing has in each of its places, or with what the test puts there. */
export function pathOf(path: string, params: z.ZodType | undefined, fill?: string): string {
  const shape = fieldsOf(params);
  return path.replace(/\{(\w+)\}/g, (_place, name: string) => {
    const field = shape[name];
    const id = randomUUID();
    if (fill !== undefined) return fill;
    return field === undefined || z.safeParse(field, id).success ? id : String(exampleOf(field));
  });
}

export function bodyExample(operation: Operation): Example {
  const example = operation.body === undefined ? {} : exampleOf(operation.body);
  return z
    .record(z.string(), z.unknown())
    .parse(example, { error: () => `the body of ${operation.id} has no example` });
}

/** The fields of a body's schema, also where rules over several fields stand round it. */
export function fieldsOf(schema: z.core.$ZodType | undefined): Readonly<Record<string, z.core.$ZodType>> {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodPipe) return fieldsOf(schema.def.in);
  return {};
}

/** A value of another JSON type than this one. */
export function ofAnotherType(value: unknown): unknown {
  return typeof value === 'string' ? 12_345 : 'not of this type';
}

export type { ApiClient };
