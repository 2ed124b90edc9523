/** What goes over Temporal's wire: each payload with the path on which it is found and the process that it was sealed for. */
import type { Connection } from '@temporalio/client';
import { sealedFor } from '../../../../adapters/codec.ts';

/** By path: the workflow ids that payloads were sealed for, `UNBOUND`, or `PLAIN` and the encoding. */
export type Seals = Map<string, Set<string>>;

/** Plain by design: Temporal itself reads search attributes, and headers belong to tools. */
const NOT_OURS = /\.(searchAttributes|header)\./;
const HISTORY = 'getWorkflowExecutionHistory < history.events.';

/** The same connection, with every payload of its requests and answers written down, histories among them. */
export function watched(connection: Connection, seals: Seals): Connection {
  const workflowService = new Proxy(connection.workflowService, {
    get(service, name) {
      const method: unknown = Reflect.get(service, name, service);
      if (typeof method !== 'function') return method;
      return async (request: unknown) => {
        note(seals, `${String(name)} >`, request);
        const answer: unknown = await Reflect.apply(method, service, [request]);
        note(seals, `${String(name)} <`, answer);
        return answer;
      };
    },
  });
  return new Proxy(connection, {
    get: (target, name): unknown =>
      name === 'workflowService' ? workflowService : Reflect.get(target, name, target),
  });
}

function note(seals: Seals, where: string, value: unknown, path = ''): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  if (isPayload(value)) {
    if (NOT_OURS.test(path)) return;
    const key = `${where} ${path.slice(1)}`.replace(HISTORY, '').replace('EventAttributes', '');
    seals.set(key, (seals.get(key) ?? new Set()).add(ownerOf(value.metadata)));
    return;
  }
  for (const [name, inner] of Object.entries(value))
    note(seals, where, inner, Array.isArray(value) ? path : `${path}.${name}`);
}

interface SeenPayload {
  readonly metadata: Readonly<Record<string, Uint8Array>>;
}

function isPayload(value: object): value is SeenPayload {
  if (!('metadata' in value) || typeof value.metadata !== 'object' || value.metadata === null) return false;
  return 'encoding' in value.metadata && value.metadata.encoding instanceof Uint8Array;
}

function ownerOf(metadata: SeenPayload['metadata']): string {
  const encoding = Buffer.from(metadata['encoding'] ?? []).toString();
  return encoding === 'binary/encrypted' ? (sealedFor({ metadata }) ?? 'UNBOUND') : `PLAIN ${encoding}`;
}
