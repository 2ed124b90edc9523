/** Files on their way in. The row is written before the file comes, and a process removes whatever nobody confirms. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { UploadId } from '../../../domain/ids.ts';
import type { DocumentFault } from '../../../domain/uploads.ts';
import { integer, type RowOf } from '../../rows/columns.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, type TableRow } from '../../rows/table-columns.ts';
import { Upload } from '../../schema/uploads.ts';

const expected = columnsOf(Upload, 'objectKey', 'expiresAt');
/** Where a file is to go in the store, and until when. */
export type ExpectedUpload = RowOf<typeof expected>;

/** What is shown of a file, for the statements that read it with what it belongs to. */
export const fileColumns = columnsOf(
  Upload,
  'id',
  'uploaderId',
  'kind',
  'fileName',
  'contentType',
  'status',
  'fault',
  'objectKey',
  'sizeBytes',
  'sha256',
  'createdAt',
);
export type FileRow = RowOf<typeof fileColumns>;

export type UploadRow = TableRow<typeof Upload>;

/** One upload. Throws if there is none. */
export function uploadOf(db: EntityManager, id: UploadId): Promise<UploadRow> {
  return query(db).selectFrom('uploads').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** One upload, if it is known. */
export function knownUpload(db: EntityManager, id: UploadId): Promise<UploadRow | undefined> {
  return query(db).selectFrom('uploads').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Where the file of an upload is to go, if the upload is known already. */
export function expectedUpload(db: EntityManager, id: UploadId): Promise<ExpectedUpload | undefined> {
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
      'kind',
      'fileName',
      'contentType',
      'declaredBytes',
      'declaredSha256',
      'objectKey',
    ),
    expiresInSeconds: integer(),
  },
  gives: expected,
  sql: `
    insert into uploads
      (id, uploader_id, kind, file_name, content_type, declared_bytes, declared_sha256, object_key, expires_at)
    values ($id, $uploaderId, $kind, $fileName, $contentType, $declaredBytes, $declaredSha256, $objectKey,
      now() + make_interval(secs => $expiresInSeconds::integer))
    returning object_key, expires_at`,
});

/** An upload that waits to be confirmed, and the seconds that are left for it. */
export const pendingUpload = statement({
  name: 'pendingUpload',
  takes: columnsOf(Upload, 'id'),
  gives: { ...columnsOf(Upload, 'id', 'uploaderId'), expiresInSeconds: integer() },
  sql: `
    select id, uploader_id, greatest(1, ceil(extract(epoch from expires_at - now())))::integer as expires_in_seconds
      from uploads where id = $id and status = 'pending'`,
});

/** How an upload ends; what was found at its place if it was kept. */
export type UploadEnd =
  | { readonly status: 'confirmed'; readonly sizeBytes: number; readonly sha256: Buffer }
  | { readonly status: 'rejected'; readonly fault: DocumentFault | null }
  | { readonly status: 'expired' };

/** Ends an upload that is pending. Answers the upload as it has ended, which may be another way. */
export async function endUpload(db: EntityManager, id: UploadId, end: UploadEnd): Promise<UploadRow> {
  await query(db)
    .updateTable('uploads')
    .set({ ...end, finishedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute();
  return uploadOf(db, id);
}
