/**
 * The address of an upload whose size nobody has declared. The store can hold a client to a size only if it is signed, so such a file
 * comes to us: it is read up to the cap and not a byte further, and only then handed to the store.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { knownUpload } from '../../../../db/queries/uploads/uploads.ts';
import { UploadId } from '../../../../domain/ids.ts';
import { found, Refusal } from '../../../../domain/refusals.ts';
import { MAX_UPLOAD_BYTES } from '../../../../domain/uploads.ts';
import type { Services } from '../../../../services/services.ts';
import { isDoorTicket, UPLOAD_DOOR } from '../../../../services/uploads/door.ts';
import { collect } from '../body.ts';
import type { Step } from '../state.ts';

const PATH = new RegExp(`^${UPLOAD_DOOR}/([^/]+)$`);
/** Files that are held in memory at a time, ten mebibytes each; others wait a little, and then come back. */
const MOST_AT_ONCE = 8;
const PAUSE_MILLISECONDS = 100;
const PATIENCE = 20;

/** Takes `PUT /v1/uploads/{id}` by the signature in its address. */
export function uploadDoor(services: Pick<Services, 'cipher' | 'storage'>, orm: MikroORM): Step {
  let inside = 0;
  return async (ctx, next) => {
    const id = PATH.exec(ctx.path)?.[1];
    if (id === undefined || ctx.method !== 'PUT') {
      await next();
      return;
    }
    const { expires, signature } = ctx.query;
    const ticket = { id, expires: String(expires), signature: String(signature) };
    if (!isDoorTicket(services.cipher, ticket, new Date())) throw new Refusal('invalid_signature');
    const upload = found(await knownUpload(orm.em.fork(), UploadId.parse(id)));
    if (upload.status !== 'pending') throw new Refusal('conflict');
    if (ctx.get('Content-Type') !== upload.contentType) throw new Refusal('unsupported_media_type');
    if (Number(ctx.get('Content-Length')) > MAX_UPLOAD_BYTES) throw tooLarge();
    for (let turn = 0; inside >= MOST_AT_ONCE; turn += 1) {
      if (turn === PATIENCE) throw new Refusal('unavailable', { retryAfter: 2 });
      await wait(PAUSE_MILLISECONDS);
    }
    inside += 1;
    try {
      const content = await collect(ctx.req, MAX_UPLOAD_BYTES);
      const isNew = await services.storage.putNew(upload.objectKey, content, upload.contentType);
      if (!isNew) throw new Refusal('conflict');
    } finally {
      inside -= 1;
    }
    ctx.status = 200;
    ctx.body = '';
  };
}

function tooLarge(): Refusal {
  return new Refusal('payload_too_large', { members: { limit_bytes: MAX_UPLOAD_BYTES } });
}
