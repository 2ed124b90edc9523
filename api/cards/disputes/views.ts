/** Disputes as the wire shows them. */
import type { z } from 'zod';
import type { DisputeRow } from '../../../db/queries/cards/disputes.ts';
import { moneyIn } from '../../../domain/money.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const view = viewOf(wire.CardDispute);
const adminView = viewOf(wire.AdminCardDispute);

/** A dispute as its holder sees it. */
export function disputeView(row: DisputeRow): z.output<typeof wire.CardDispute> {
  return view(fieldsOf(row));
}

/** A dispute as the back office sees it. */
export function adminDisputeView(row: DisputeRow): z.output<typeof wire.AdminCardDispute> {
  const { firstBy, firstAt, status, ownerId, isOverdue } = row;
  const waits = status === 'in_review' && firstBy !== null && firstAt !== null;
  return adminView({
    ...fieldsOf(row),
    ...{ userId: ownerId, decidedBy: row.decidedBy, overdue: isOverdue },
    secondReview: waits ? { first_by: firstBy, first_at: firstAt } : null,
  });
}

function fieldsOf({ asset, paymentId, dueAt, endedAt, ...row }: DisputeRow) {
  const money = moneyIn(asset);
  return {
    ...row,
    ...{ cardPaymentId: paymentId, endedAt, dueAt: endedAt === null ? dueAt : null },
    ...{ amount: money(row.amount), refunded: money(row.refunded) },
    ...{ credited: money(row.credited), takenBack: money(row.takenBack) },
  };
}
