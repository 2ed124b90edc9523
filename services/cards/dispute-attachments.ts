/** Disputes take files from their holders, as evidence, as long as nothing is decided for good. */
import {
  countDisputeFiles,
  disputeFile,
  insertDisputeFile,
  lockDisputeForFiles,
  type DisputeFileRow,
} from '../../db/queries/cards/dispute-attachments.ts';
import { disputeOf } from '../../db/queries/cards/disputes.ts';
import { MAX_DISPUTE_FILES, type DisputeStatus } from '../../domain/cards/disputes.ts';
import type { CardDisputeId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import type { Place } from '../uploads/place.ts';

interface Disputed {
  readonly id: CardDisputeId;
  readonly status: DisputeStatus;
}

/** A dispute of the caller's own. */
export const disputePlace = (
  id: CardDisputeId,
): Place<Disputed, DisputeFileRow, 'dispute_closed' | 'too_many_attachments'> => ({
  find: async ({ db, actor }) => found(await disputeOf.first(db, { id, owner: actor.id })),
  lock: (db, { id: disputeId }) => lockDisputeForFiles.one(db, { disputeId }),
  async admit({ db, refusal }, { id: disputeId, status }) {
    if (status !== 'in_review' && status !== 'filed') throw refusal('dispute_closed');
    const { count } = await countDisputeFiles.one(db, { disputeId });
    if (count >= MAX_DISPUTE_FILES) throw refusal('too_many_attachments');
  },
  tie: (db, { id: disputeId }, uploadId) => insertDisputeFile(db, { uploadId, disputeId }),
  file: (db, { id: disputeId }, uploadId) => disputeFile.first(db, { disputeId, uploadId }),
  deed: () => null,
});
