/** Orders to move money, given below the API as its services give them: by a caller, with an idempotency key. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createOrderTaker, type OrderClaim, type TakenOrder } from '../../../db/ledger/transfers.ts';
import { screeningState } from '../../../db/queries/aml/parties.ts';
import { transferState } from '../../../db/queries/transfers/transfers.ts';
import type { TransferOrder } from '../../../domain/transfers/transfers.ts';
import type { Books } from './books.ts';

/** A claim with a key of its own, by whoever asks for the order. */
export function claimOf(order: TransferOrder, changes: Partial<OrderClaim> = {}): OrderClaim {
  return {
    caller: order.requestedBy,
    key: { operation: 'test', key: randomUUID(), hmac: randomBytes(32) },
    stepUpId: null,
    requestId: null,
    order,
    ...changes,
  };
}

/** A payee outside who meets nobody on the lists of now. */
async function screenedFor(books: Pick<Books, 'em'>, order: TransferOrder): Promise<Partial<OrderClaim>> {
  if (order.beneficiaryId === undefined) return {};
  const { epoch } = await screeningState.one(books.em());
  return { screened: { epoch: String(epoch), matches: [] } };
}

/** What a test wants to know of an order that was given. */
export type Given = Pick<TakenOrder, 'status' | 'refusal' | 'members'>;

/**
 * Gives orders to the books as one process of the API does. The key is the order’s id, so that the same order again is a repeat. Whoever
 * asks for an adjustment or a reversal is made an administrator who may.
 */
export function openOrders(books: Pick<Books, 'em' | 'admin'>): {
  submit(order: TransferOrder): Promise<Given>;
} {
  const taker = createOrderTaker(books.em, false);
  return {
    async submit(order) {
      if (order.kind !== 'transfer')
        await books.admin(['adjustments:write', 'transfers:reverse'], order.requestedBy);
      const key = { operation: 'test', key: order.id, hmac: Buffer.from(order.id) };
      const give = async () => taker.submit(claimOf(order, { key, ...(await screenedFor(books, order)) }));
      let taken = await give();
      // a twin holds the key for the moment, or a list has taken effect
      while (taken.refusal === 'idempotency_in_progress' || taken.refusal === 'unavailable')
        taken = await give();
      const { status, refusal, members, isRepeat } = taken;
      if (!isRepeat) return { status, refusal, members };
      const stands = await transferState.one(books.em(), { id: order.id });
      return { status: stands.status, refusal: null, members: null };
    },
  };
}
