/** Looking at uploads in the store, keeping or removing them. */
import type { UploadId } from '../domain/ids.ts';
import type { Refused } from '../domain/process.ts';
import * as uploads from '../services/tickets/uploads.ts';
import type { UploadState } from '../workflows/upload/contract.ts';
import type { ActivityDeps } from './deps.ts';

export interface UploadActivities {
  /** Keeps what is there if it is as declared, otherwise removes it. Refuses upload_missing if nothing is there. */
  verifyUpload(id: UploadId): Promise<UploadState | Refused>;
  /** Ends an upload that nobody confirmed in time, unless it has ended, and removes what was uploaded and not confirmed. */
  expireUpload(id: UploadId): Promise<UploadState>;
  /** Removes whatever came after the end of an upload that was not confirmed. */
  clearUpload(id: UploadId): Promise<void>;
}

export function uploadActivities({ em, storage }: Pick<ActivityDeps, 'em' | 'storage'>): UploadActivities {
  return {
    verifyUpload: (id) => uploads.verifyUpload(em(), storage, id),
    expireUpload: (id) => uploads.expireUpload(em(), storage, id),
    clearUpload: (id) => uploads.clearUpload(em(), storage, id),
  };
}
