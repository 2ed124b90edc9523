/** A file on its way in: confirmed in time, or removed. */
import {
  allHandlersFinished,
  condition,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { UploadActivities } from '../../activities/uploads.ts';
import { isRefused, searchAttributes, type Refused } from '../../domain/process.ts';
import { LATE_UPLOAD_SECONDS } from '../../domain/uploads.ts';
import { refuse } from '../refuse.ts';
import { confirm, type UploadConfirmation, type UploadOrder, type UploadState } from './contract.ts';

const { verifyUpload, expireUpload, clearUpload } = proxyActivities<UploadActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Ends confirmed, rejected or expired. */
export async function upload(order: UploadOrder): Promise<UploadState> {
  let ended: UploadState | undefined;
  let expiring = false;
  let looking: Promise<UploadState | Refused> | undefined;

  async function look(): Promise<UploadState | Refused> {
    const found = await verifyUpload(order.id);
    looking = undefined;
    if (!isRefused(found)) ended = found;
    else if (found.refused === 'upload_rejected') ended = { status: 'rejected' };
    return found;
  }

  setHandler(confirm, async () => ended ?? (await (looking ??= look())), {
    description: 'The uploader says that the file is there',
    validator: (_asked: UploadConfirmation) => {
      if (expiring) throw refuse('upload_expired');
    },
  });

  setCurrentDetails('Waits for the upload to be confirmed.');
  await condition(() => ended !== undefined, order.expiresInSeconds * 1_000);
  if (ended === undefined) {
    expiring = true;
    await condition(() => looking === undefined);
    ended ??= await expireUpload(order.id);
  }
  upsertSearchAttributes([{ key: searchAttributes.status, value: ended.status }]);
  setCurrentDetails(`Ended as ${ended.status}.`);
  if (ended.status !== 'confirmed') {
    // a PUT that began just in time may end after the place was cleared
    await sleep(LATE_UPLOAD_SECONDS * 1_000);
    await clearUpload(order.id);
  }
  await condition(allHandlersFinished);
  return ended;
}
