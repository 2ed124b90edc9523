/** Files that people hand in, whatever they belong to. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { UploadId, UserId } from '../../domain/ids.ts';
import { DOCUMENT_FAULTS, UPLOAD_KINDS, UPLOAD_STATUSES, type ContentType } from '../../domain/uploads.ts';

/**
 * A file on its way into the store. `sizeBytes` and `sha256` are what was found there; the declared values are what the
 * client announced. `fault` is what was wrong with the content of an identity document.
 */
export const Upload = defineEntity({
  name: 'Upload',
  tableName: 'uploads',
  properties: {
    id: p.uuid().$type<UploadId>().primary(),
    uploaderId: p.uuid().$type<UserId>(),
    kind: p.enum(UPLOAD_KINDS).default('file'),
    fileName: p.text(),
    contentType: p.text().$type<ContentType>(),
    declaredBytes: p.bigint('number').strictNullable(),
    declaredSha256: p.blob().$type<Buffer>().strictNullable(),
    objectKey: p.text(),
    status: p.enum(UPLOAD_STATUSES).default('pending'),
    fault: p.enum(DOCUMENT_FAULTS).strictNullable(),
    sizeBytes: p.bigint('number').strictNullable(),
    sha256: p.blob().$type<Buffer>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
    finishedAt: p.datetime(3).strictNullable(),
  },
});
export type Upload = InferEntity<typeof Upload>;
