/** Files that are to come: written down before they do, so that whatever is in the store has a row and a process. */
import { newObjectKey } from '../../adapters/storage.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import {
  expectedUpload,
  insertUpload,
  type ExpectedUpload,
  type FileRow,
} from '../../db/queries/uploads/uploads.ts';
import { UploadId } from '../../domain/ids.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import { UPLOAD_SECONDS, type ContentType } from '../../domain/uploads.ts';
import { uploadProcess } from '../../workflows/upload/process.ts';
import type { HandingIn, Place } from './place.ts';

interface Announced {
  readonly fileName: string;
  readonly contentType: ContentType;
  readonly declaredBytes: number | null;
  readonly declaredSha256: Buffer | null;
}

/** Writes down that a file is to come, and starts the process that removes it unless it is confirmed. Needs a transaction. */
export async function expectUpload<Thing, Code extends RefusalCode>(
  call: HandingIn<NoInfer<Code>>,
  place: Place<Thing, FileRow, Code>,
  seen: Thing,
  file: Announced,
): Promise<ExpectedUpload> {
  const { db, actor } = call;
  const id = UploadId.parse(call.newId);
  const known = await expectedUpload(db, id);
  if (known !== undefined) return known;
  const thing = await place.lock(db, seen);
  // a twin may have written it down while this call waited for the lock
  const twin = await expectedUpload(db, id);
  if (twin !== undefined) return twin;
  await place.admit(call, thing);
  const kind = place.kind ?? 'file';
  const order = { id, uploaderId: actor.id, expiresInSeconds: UPLOAD_SECONDS };
  const expected = await insertUpload.one(db, { ...order, ...file, kind, objectKey: newObjectKey() });
  await place.tie(db, thing, id);
  await launch(db, uploadProcess, order);
  const deed = place.deed(thing, id);
  if (deed !== null) await record(db, actor, deed);
  return expected;
}
