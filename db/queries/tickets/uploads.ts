/** Files on their way in. The row is written before the file comes, and a process removes whatever nobody confirms. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { UploadId } from '../../../domain/ids.ts';
import { integer, type RowOf } from '../../rows/columns.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { Upload } from '../../schema/tickets.ts';

const place = columnsOf(Upload, 'objectKey', 'expiresAt');
/** Where a file is to go, and until when. */
export type UploadPlace = RowOf<typeof place>;

/** The place of an upload that is known already. */
export function uploadPlace(db: EntityManager, id: UploadId): Promise<UploadPlace | undefined> {
  return query(db)
    .selectFrom('uploads')
    .select(['objectKey', 'expiresAt'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Writes down a file that must be confirmed within so many seconds. */
export const insertUpload = statement({
  name: 'insertUpload',
  takes: {
    ...columnsOf(
      Upload,
      'id',
      'uploaderId',
      'fileName',
      'contentType',
      'declaredBytes',
      'declaredSha256',
      'objectKey',
    ),
    expiresInSeconds: integer(),
  },
  gives: place,
  sql: `
    insert into uploads
      (id, uploader_id, file_name, content_type, declared_bytes, declared_sha256, object_key, expires_at)
    values ($id, $uploaderId, $fileName, $contentType, $declaredBytes, $declaredSha256, $objectKey,
      now() + make_interval(secs => $expiresInSeconds::integer))
    returning object_key, expires_at`,
});

/** Writes what was found at the place; an upload that has ended stays as it is. */
export async function confirmUpload(
  db: EntityManager,
  id: UploadId,
  found: { readonly bytes: number; readonly sha256: Buffer },
): Promise<void> {
  await query(db)
    .updateTable('uploads')
    .set({ status: 'confirmed', sizeBytes: found.bytes, sha256: found.sha256, finishedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute();
}
