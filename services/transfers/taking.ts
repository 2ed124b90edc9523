/** Giving an order to the books: order, idempotency key and step-up token in one round trip and one commit. */
import { activeTrace } from '../../adapters/tracing.ts';
import { isMade, type OrderTaker } from '../../db/ledger/transfers.ts';
import { noteLaunch } from '../../db/queries/platform/outbox.ts';
import type { OwnTransferRow } from '../../db/queries/transfers/transfers.ts';
import { stepUpRequired } from '../../domain/identity/step-up.ts';
import { refuse } from '../../domain/refusals.ts';
import type { UserId } from '../../domain/ids.ts';
import type { TransferOrder } from '../../domain/transfers/transfers.ts';
import type { ScreenPayee } from '../aml/screening.ts';
import { TakenBefore, type Claim } from '../callers.ts';

/** So many changes of lists in a row are more than ever happen within one payment. */
const TRIES = 3;

/** Who gives the order, null for a schedule, and what the books write beside it. */
export interface OrderGiver {
  readonly caller: UserId | null;
  readonly claim: Claim;
}

/**
 * Books the order, or holds its money and leaves the start of its process in the outbox. What the books refuse depends on the kind of
 * order; the frame holds it to the declaration of the operation. A payee outside the bank is screened before. Throws TakenBefore where the key, or the id, is taken.
 */
export async function takeOrder(
  { caller, claim: { key, stepUpId, requestId } }: OrderGiver,
  order: TransferOrder,
  orders: OrderTaker,
  screen?: ScreenPayee,
): Promise<OwnTransferRow> {
  if (order.beneficiaryId !== undefined && screen === undefined)
    throw new Error('a payee outside the bank has to be screened');
  const given = { caller, key, stepUpId, requestId, trace: activeTrace(), order };
  let taken = await orders.submit(screen === undefined ? given : { ...given, screened: await screen(false) });
  // a list has taken effect since this process read them
  for (let tries = 1; taken.refusal === 'unavailable' && screen !== undefined && tries < TRIES; tries++)
    taken = await orders.submit({ ...given, screened: await screen(true) });
  if (taken.isRepeat) throw new TakenBefore();
  if (taken.refusal === 'step_up_required') throw stepUpRequired('spent', key?.operation ?? '');
  if (taken.refusal === 'idempotency_in_progress') throw refuse(taken.refusal, { retryAfter: 1 });
  if (taken.refusal === 'unavailable') throw refuse(taken.refusal, { retryAfter: 1 });
  if (taken.refusal !== null) throw refuse(taken.refusal, { members: taken.members ?? {} });
  if (!isMade(taken)) throw new Error('transfers_create answered neither a transfer nor a refusal');
  // what ended at once has left nothing in the outbox
  if (taken.finishedAt === null || orders.everyRun) noteLaunch();
  return taken;
}
