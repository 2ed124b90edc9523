/** Changes that wait for a second administrator: asked for, approved, rejected, withdrawn. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Cipher } from '../../adapters/cipher.ts';
import { newUuid } from '../../adapters/new-id.ts';
import type { Config } from '../../config.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import {
  changeById,
  hasChecker,
  insertChange,
  openChangesLike,
  type ChangeRow,
} from '../../db/queries/platform/pending-changes.ts';
import type { Person } from '../../domain/actor.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { ChangeId } from '../../domain/ids.ts';
import type { Refusal, Refuse } from '../../domain/refusals.ts';
import { changeProcess } from '../../workflows/change/process.ts';
import type { Admin } from '../callers.ts';
import type { Judged } from './four-eyes.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

/** What a maker sent: all that is needed to carry it out later. It is parsed anew then. */
export const StoredRequest = z.object({
  params: z.record(z.string(), z.unknown()),
  query: z.record(z.string(), z.unknown()),
  body: z.unknown(),
  path: z.string(),
  newId: z.uuid(),
  address: z.string(),
  userAgent: z.string(),
  requestId: z.string(),
  sessionId: z.uuid(),
  amr: z.array(z.string()),
});
export type StoredRequest = z.output<typeof StoredRequest>;

/** Carries an approved change out as its maker; made by the API, which knows the operations. Answers why nothing was done. */
export type CarryOut = (
  db: EntityManager,
  change: ChangeRow,
  request: StoredRequest,
  maker: Admin,
) => Promise<'applied' | 'stale' | Refusal>;

/** A change that somebody asks for. */
export interface AskedChange extends Pick<Judged, 'before' | 'after' | 'concerns'> {
  readonly operation: string;
  readonly permission: string;
  readonly resource: readonly [type: string, id: string];
  readonly etag: string;
  readonly request: StoredRequest;
}

interface Asking {
  readonly db: EntityManager;
  readonly actor: Person;
  readonly refusal: Refuse<'change_pending' | 'no_second_person' | 'unavailable'>;
}

/**
 * Writes a change down and starts its process. The maker's repeat of an open one answers that one. Refuses change_pending if another
 * change of the resource by this operation waits, and no_second_person if nobody could approve it.
 */
export async function askForChange(
  call: Asking,
  asked: AskedChange,
  { cipher, config }: { readonly cipher: Cipher; readonly config: Config },
): Promise<ChangeRow> {
  const { db, actor, refusal } = call;
  const open = await openLike(call, asked, cipher);
  if (open !== undefined) return open;
  const { operation, permission, etag, before, after, concerns } = asked;
  const [resourceType, resourceId] = asked.resource;
  const anybody = await hasChecker.one(db, { maker: actor.id, permission, concerns });
  if (!anybody.found) throw refusal('no_second_person', { members: { permission } });
  const id = ChangeId.parse(newUuid());
  const written = await insertChange.run(db, {
    ...{ id, operation, permission, resourceType, resourceId, etag, before, after, concerns },
    request: cipher.seal(Buffer.from(JSON.stringify(asked.request)), contextOf(id)),
    requestMac: cipher.mac(MAC_PURPOSE, ...sameness(asked)),
    requestedBy: actor.id,
    expiresInSeconds: config.CHANGE_DAYS * DAY_SECONDS,
  });
  if (written === 0) return twin(call, asked, cipher);
  await launch(db, changeProcess, orderOf(id, config));
  await record(db, actor, {
    action: 'change.requested',
    subject: ['change', id],
    // what it would change stands in its row, which fewer people may read than the log
    after: { operation, resource: asked.resource.join('/') },
  });
  return changeById.one(db, { id });
}

/** What the process of a change starts with. */
export function orderOf(id: ChangeId, config: Pick<Config, 'CHANGE_REMINDER_HOURS'>) {
  return { id, remindSeconds: config.CHANGE_REMINDER_HOURS * HOUR_SECONDS };
}

/** Opens what the maker sent. */
export function requestOf({ id, request }: ChangeRow, cipher: Cipher): StoredRequest {
  return StoredRequest.parse(JSON.parse(cipher.open(request, contextOf(id)).toString()));
}

/** The same request that waits already. Refuses change_pending for another one. */
async function openLike(
  { db, actor, refusal }: Asking,
  asked: AskedChange,
  cipher: Cipher,
): Promise<ChangeRow | undefined> {
  const { operation } = asked;
  const [resourceType, resourceId] = asked.resource;
  const about = { operation, resourceType, resourceId, requestedBy: actor.id };
  const open = await openChangesLike.all(db, about);
  const same = open.find(
    ({ requestedBy, requestMac }) =>
      requestedBy === actor.id && cipher.macMatches(requestMac, MAC_PURPOSE, ...sameness(asked)),
  );
  if (same !== undefined) return same;
  const other = open.find((known) => known.resourceType === resourceType && known.resourceId === resourceId);
  if (other !== undefined) throw refusal('change_pending', { members: { change_id: other.id } });
  return undefined;
}

/** Somebody asked at the same moment and was quicker. */
async function twin(call: Asking, asked: AskedChange, cipher: Cipher): Promise<ChangeRow> {
  const open = await openLike(call, asked, cipher);
  // it was decided within this moment
  if (open === undefined) throw call.refusal('unavailable', { retryAfter: 1 });
  return open;
}

const MAC_PURPOSE = 'pending-change';

/** Two requests with the same path and body are the same; what they would make has another id each time. */
function sameness({ request }: AskedChange): string[] {
  return [request.path, canonicalJson(request.query), canonicalJson(request.body ?? null)];
}

function contextOf(id: ChangeId): string {
  return `pending-change/${id}`;
}
