import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { UploadId, UserId } from '../../domain/ids.ts';
import type { ContentType, UploadStatus } from '../../domain/uploads.ts';

/** One file on its way into the store, whatever it belongs to. Size and checksum are what was found there, not what was said. */
export const Upload = defineEntity({
  name: 'Upload',
  tableName: 'uploads',
  properties: {
    id: p.uuid().primary().$type<UploadId>(),
    uploaderId: p.uuid().$type<UserId>(),
    fileName: p.text(),
    contentType: p.text().$type<ContentType>(),
    declaredBytes: p.bigint('number').nullable(),
    declaredSha256: p.blob().nullable(),
    objectKey: p.text().unique(),
    status: p.text().$type<UploadStatus>().default('pending'),
    sizeBytes: p.bigint('number').nullable(),
    sha256: p.blob().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
  },
});
export type Upload = InferEntity<typeof Upload>;
