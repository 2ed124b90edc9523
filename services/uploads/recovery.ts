/** How the processes of uploads are found and started again once they are lost. */
import { overdueUploads } from '../../db/queries/platform/overdue.ts';
import { pendingUpload } from '../../db/queries/uploads/uploads.ts';
import { UploadId } from '../../domain/ids.ts';
import type { UploadOrder } from '../../workflows/upload/contract.ts';
import { uploadProcess } from '../../workflows/upload/process.ts';
import type { Recovery } from '../platform/recovery.ts';

export const uploadRecovery: Recovery<UploadOrder> = {
  process: uploadProcess,
  // what is left of its time: an upload does not become younger by the loss of its process
  orderOf: (db, id) => pendingUpload.first(db, { id: UploadId.parse(id) }),
  overdue: (db, page) => overdueUploads.all(db, page),
};
