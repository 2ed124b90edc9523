/** The operations as the API's own document declares them: reading it takes milliseconds, loading all of the API seconds. */
import { z } from 'zod';
import { apiClient } from '../client.ts';

export interface ServedOperation {
  readonly id: string;
  readonly method: string;
  /** With the names of its parameters in braces. */
  readonly path: string;
  /** What an administrator needs to call it; null if everybody may, or any administrator. */
  readonly permission: string | null;
  /** Whether a step-up is good for one request only. */
  readonly isLinked: boolean;
}

const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        'x-permission': z.string().optional(),
        'x-linked-step-up': z.literal(true).optional(),
      }),
    ),
  ),
});

let served: Promise<readonly ServedOperation[]> | undefined;

/** All operations of the shared API, read once in each file of tests. */
export function servedOperations(): Promise<readonly ServedOperation[]> {
  served ??= readDocument();
  return served;
}

async function readDocument(): Promise<readonly ServedOperation[]> {
  const { paths } = (await apiClient().call('GET', '/openapi.json')).as(Document);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      permission: operation['x-permission'] ?? null,
      isLinked: operation['x-linked-step-up'] ?? false,
    })),
  );
}
