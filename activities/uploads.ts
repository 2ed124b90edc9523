/** Looking at uploads in the store, keeping or removing them. */
import { HEAD_BYTES, isOfType } from '../adapters/file-kind.ts';
import { Upload } from '../db/schema/tickets.ts';
import type { UploadId } from '../domain/ids.ts';
import type { Refused } from '../domain/process.ts';
import { MAX_UPLOAD_BYTES } from '../domain/tickets/uploads.ts';
import type { UploadState } from '../workflows/upload/contract.ts';
import type { ActivityDeps } from './deps.ts';

export interface UploadActivities {
  /** Keeps what is there where it is of the declared type and size, removes it where not. Nothing there: refuses upload_missing. */
  verifyUpload(id: UploadId): Promise<UploadState | Refused>;
  /** Ends an upload that nobody confirmed in time, unless it has ended; removes what was uploaded and not confirmed. */
  expireUpload(id: UploadId): Promise<UploadState>;
  /** Removes whatever came after the end of an upload that was not confirmed. */
  clearUpload(id: UploadId): Promise<void>;
}

export function uploadActivities({ em, storage }: Pick<ActivityDeps, 'em' | 'storage'>): UploadActivities {
  /** The first end stands; answers how it ended. */
  async function end(
    upload: Upload,
    as: Partial<Upload> & { status: Upload['status'] },
  ): Promise<UploadState> {
    await em().nativeUpdate(Upload, { id: upload.id, status: 'pending' }, { ...as, finishedAt: new Date() });
    const { status } = await em().findOneOrFail(Upload, upload.id);
    if (status !== 'confirmed') await storage.remove(upload.objectKey);
    return { status };
  }

  return {
    async verifyUpload(id) {
      const upload = await em().findOneOrFail(Upload, id);
      if (upload.status === 'pending') {
        const there = await storage.stat(upload.objectKey);
        if (there === null) return { refused: 'upload_missing' };
        const asSaid =
          there.bytes <= MAX_UPLOAD_BYTES &&
          there.bytes > 0 &&
          there.bytes === (upload.declaredBytes ?? there.bytes);
        const content = asSaid ? await storage.read(upload.objectKey, HEAD_BYTES) : null;
        const right =
          content !== null &&
          (await isOfType(content.head, upload.contentType)) &&
          (upload.declaredSha256 == null || content.sha256.equals(upload.declaredSha256));
        const state = await (right
          ? end(upload, { status: 'confirmed', sizeBytes: there.bytes, sha256: content.sha256 })
          : end(upload, { status: 'rejected' }));
        return state.status === 'confirmed' ? state : { refused: refusalOf(state) };
      }
      return upload.status === 'confirmed' ? { status: 'confirmed' } : { refused: refusalOf(upload) };
    },

    expireUpload: async (id) => end(await em().findOneOrFail(Upload, id), { status: 'expired' }),

    clearUpload: async (id) => {
      const upload = await em().findOneOrFail(Upload, id);
      if (upload.status !== 'confirmed') await storage.remove(upload.objectKey);
    },
  };
}

function refusalOf({ status }: Pick<Upload, 'status'>): 'upload_rejected' | 'upload_expired' {
  return status === 'expired' ? 'upload_expired' : 'upload_rejected';
}
