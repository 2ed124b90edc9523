/** A file on its way in: confirmed in time, or removed. */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { isRefused, type Refused } from '../../domain/process.ts';
import { IMPOSSIBLE, unlessPermanent } from '../permanent.ts';
import type { UploadId } from '../../domain/ids.ts';
import { onOutside, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';
import { LATE_UPLOAD_SECONDS } from '../../domain/uploads.ts';
import { refuse } from '../refuse.ts';
import { confirm, type UploadConfirmation, type UploadOrder, type UploadState } from './contract.ts';

/** The effects of its steps. */
export interface UploadActivities extends Carried<'outside'> {
  /** Keeps what is there if it is as declared, otherwise removes it. Refuses upload_missing if nothing is there. */
  verifyUpload(id: UploadId): Promise<UploadState | Refused>;
  /** Ends an upload that nobody confirmed in time, unless it has ended, and removes what was uploaded and not confirmed. */
  expireUpload(id: UploadId): Promise<UploadState>;
  /** Removes whatever came after the end of an upload that was not confirmed. */
  clearUpload(id: UploadId): Promise<void>;
}

const { verifyUpload, expireUpload, clearUpload } = onOutside<UploadActivities>({
  // an identity document is decoded, and waits for others to be decoded first
  startToCloseTimeout: '2m',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Ends confirmed, rejected or expired. Cancelling the run does nothing: the file would stay with nobody left to remove it. */
export function upload(order: UploadOrder): Promise<UploadState> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story(order: UploadOrder): Promise<UploadState> {
  /** What there is to say once nothing more can change it. */
  let verdict: UploadState | Refused | undefined;
  let looking: Promise<UploadState | Refused> | undefined;
  let expiring = false;

  async function look(): Promise<UploadState | Refused> {
    const found = await unlessPermanent(verifyUpload(order.id), IMPOSSIBLE);
    looking = undefined;
    // a file that is not there yet may still come
    if (!isRefused(found) || (found.refused !== 'upload_missing' && found !== IMPOSSIBLE)) verdict = found;
    return found;
  }

  // whoever asks while it is being looked at gets the same answer
  setHandler(confirm, async () => verdict ?? (await (looking ??= look())), {
    description: 'The uploader says that the file is there',
    validator: (_asked: UploadConfirmation) => {
      if (expiring && verdict === undefined) throw refuse('upload_expired');
    },
  });

  setCurrentDetails('Waits for the upload to be confirmed.');
  await condition(() => verdict !== undefined, order.expiresInSeconds * 1_000, {
    summary: 'until the upload URL expires',
  });
  expiring = true;
  await condition(() => looking === undefined);
  const ended = await endOf(order, verdict);
  verdict ??= { refused: 'upload_expired' };
  upsertSearchAttributes([{ key: searchAttributes.status, value: ended.status }]);
  setCurrentDetails(`Ended as ${ended.status}.`);
  if (ended.status !== 'confirmed') {
    await sleep(LATE_UPLOAD_SECONDS * 1_000, { summary: 'until no PUT to its place can still be running' });
    await clearUpload(order.id);
  }
  await condition(allHandlersFinished);
  return ended;
}

/** What was not confirmed is removed, whether it was rejected before or its time is over now. */
async function endOf(order: UploadOrder, verdict: UploadState | Refused | undefined): Promise<UploadState> {
  return verdict === undefined || isRefused(verdict) ? expireUpload(order.id) : verdict;
}
