/** All that others may know of a file on its way in. */
import { defineUpdate } from '@temporalio/workflow';
import type { UploadId, UserId } from '../../domain/ids.ts';
import type { Refused } from '../../domain/process.ts';
import type { UploadStatus } from '../../domain/uploads.ts';

export interface UploadOrder {
  readonly id: UploadId;
  readonly uploaderId: UserId;
  /** Seconds until an upload that was not confirmed is removed. */
  readonly expiresInSeconds: number;
}

export interface UploadState {
  readonly status: UploadStatus;
}

/** Who says that the file is there. */
export interface UploadConfirmation {
  readonly by: UserId;
}

/** Looks at what was uploaded and keeps it, or removes it. Refuses: upload_missing (and goes on waiting), upload_rejected, upload_expired. */
export const confirm = defineUpdate<UploadState | Refused, [UploadConfirmation]>('confirm');
