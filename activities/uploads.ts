/** Looking at uploads in the store, keeping or removing them. */
import * as uploads from '../services/uploads/verification.ts';
import type { UploadActivities } from '../workflows/upload/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function uploadActivities({ em, storage }: Pick<ActivityDeps, 'em' | 'storage'>): UploadActivities {
  return {
    verifyUpload: (id) => uploads.verifyUpload(em(), storage, id),
    expireUpload: (id) => uploads.expireUpload(em(), storage, id),
    clearUpload: (id) => uploads.clearUpload(em(), storage, id),
  };
}
