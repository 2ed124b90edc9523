/** Files that people hand in, whatever they belong to. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { UploadId, UserId } from '../../domain/ids.ts';
import { UPLOAD_STATUSES, type ContentType } from '../../domain/uploads.ts';

/**
 * A file on its way into the store. `sizeBytes` and `sha256` are what was found there; the declared values are what the
 * client announced.
 */
export const Upload = defineEntity({
  name: 'Upload',
  tableName: 'uploads',
  properties: {
    id: p.uuid().$type<UploadId>().primary(),
    uploaderId: p.uuid().$type<UserId>(),
    fileName: p.text(),
    contentType: p.text().$type<ContentType>(),
    declaredBytes: p.bigint('number').strictNullable(),
    declaredSha256: p.blob().$type<Buffer>().strictNullable(),
    objectKey: p.text(),
    status: p.enum(UPLOAD_STATUSES).default('pending'),
    sizeBytes: p.bigint('number').strictNullable(),
    sha256: p.blob().$type<Buffer>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
    finishedAt: p.datetime(3).strictNullable(),
  },
});
export type Upload = InferEntity<typeof Upload>;
