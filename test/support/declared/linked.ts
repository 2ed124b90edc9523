/** Which operations link a step-up to its request: from the document that the API serves, so that a test need not load the API. */
import { z } from 'zod';
import { apiClient } from '../client.ts';

const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ operationId: z.string(), 'x-linked-step-up': z.literal(true).optional() }),
    ),
  ),
});

let read: Promise<ReadonlyMap<string, string>> | undefined;

/** The path of an operation whose step-up is good for one request only; undefined for any other operation. */
export async function linkedPath(operation: string): Promise<string | undefined> {
  read ??= linkedPaths();
  return (await read).get(operation);
}

async function linkedPaths(): Promise<ReadonlyMap<string, string>> {
  const { paths } = (await apiClient().call('GET', '/openapi.json')).as(Document);
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ operationId, 'x-linked-step-up': isLinked }) =>
        isLinked === true ? ([[operationId, path]] as const) : [],
      ),
    ),
  );
}
