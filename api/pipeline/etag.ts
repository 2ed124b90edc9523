/** Step: a strong ETag on what can be changed, and If-Match held to it while nobody else changes it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { lockResource } from '../../db/queries/platform/resource-locks.ts';
import { faultIn, Refusal } from '../../domain/refusals.ts';
import type { Operation } from '../declaration/operation.ts';
import type { Context } from '../declaration/request.ts';
import { versionOf } from '../../domain/versions.ts';
import type { Frame } from './frame.ts';
import { readBack } from './read-back.ts';

/** Paths that each caller has of their own. */
const OWN = /\/(me|preferences)(\/|$)/;

/** The version of a resource is the hash of its representation (RFC 9110 §8.8.3); lists and public answers have none. */
export function etagOf({ method, path, access }: Operation, body: string | null): string | null {
  const one = path.includes('{') || OWN.test(path);
  if (method !== 'GET' || body === null || !one || access.auth === 'public') return null;
  return `"${versionOf(body)}"`;
}

/** One change of a resource, as If-Match sees it. */
export interface Change {
  readonly operation: Operation;
  readonly path: string;
  readonly params: unknown;
  readonly ifMatch: string | undefined;
}

/**
 * Makes changes of one resource follow one another, and refuses etag_mismatch where the caller has seen another version.
 * The lock is taken without If-Match too: else a change without it could slip between the comparison and the write.
 */
export async function requireMatch(change: Change, context: Context, frame: Frame): Promise<void> {
  const { operation, ifMatch } = change;
  if (operation.method === 'POST') return;
  const reader = frame.readerOf(operation);
  if (reader === undefined) {
    if (ifMatch === undefined) return;
    throw faultIn('header/If-Match', 'unsupported', 'is not supported here: the resource has no ETag');
  }
  if (context.db.isInTransaction()) await lockPath(context.db, change.path, context.caller?.id);
  if (ifMatch === undefined) return;
  const current = etagOf(reader, await readBack(reader, change.params, context, frame));
  const wanted = ifMatch.split(',').map((tag) => tag.trim());
  if (!wanted.includes('*') && (current === null || !wanted.includes(current)))
    throw new Refusal('etag_mismatch');
}

async function lockPath(db: EntityManager, path: string, callerId: string | undefined): Promise<void> {
  const own = OWN.test(path) ? (callerId ?? '') : '';
  await lockResource.run(db, { name: `${path} ${own}` });
}
