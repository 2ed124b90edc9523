/** All that others may know of a file on its way in. */
import { defineUpdate } from '@temporalio/workflow';
import type { UploadId, UserId } from '../../domain/ids.ts';
import type { Process, Refused } from '../../domain/process.ts';
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

export const uploadProcess: Process<UploadOrder> = {
  name: 'upload',
  type: 'upload',
  workflowId: (id) => `upload/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.uploaderId,
  summary: (order) => `Upload ${order.id}`,
};

/** Who says that the file is there. */
export interface UploadConfirmation {
  readonly by: UserId;
}

/** Looks at what was uploaded and keeps it, or removes it. Refuses: upload_missing (and goes on waiting), upload_rejected, upload_expired. */
export const confirm = defineUpdate<UploadState | Refused, [UploadConfirmation]>('confirm');
