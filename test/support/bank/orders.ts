/** Orders to move money, given below the API as its services give them: by a caller, with an idempotency key. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createOrderTaker, type OrderClaim, type TakenOrder } from '../../../db/ledger/transfers.ts';
import { transferState } from '../../../db/queries/transfers/transfers.ts';
import { UserId } from '../../../domain/ids.ts';
import type { TransferOrder } from '../../../domain/transfers/transfers.ts';
import type { Books } from './books.ts';

/** A claim with a key of its own, by whoever asks for the order. */
export function claimOf(order: TransferOrder, changes: Partial<OrderClaim> = {}): OrderClaim {
  return {
    caller: order.requestedBy,
    key: { operation: 'test', key: randomUUID(), hmac: randomBytes(32) },
    stepUpId: null,
    order,
    ...changes,
  };
}

/** What a test wants to know of an order that was given. */
export type Given = Pick<TakenOrder, 'status' | 'refusal' | 'members'>;

/**
 * Gives orders to the books as one process of the API does. The key is the order’s id, so that the same order again is a repeat. Whoever
 * asks for an adjustment or a reversal is made an administrator who may.
 */
export function openOrders(books: Pick<Books, 'em' | 'asOwner'>): {
  submit(order: TransferOrder): Promise<Given>;
} {
  const taker = createOrderTaker(books.em, false);
  return {
    async submit(order) {
      if (order.kind !== 'transfer') await authorise(books, order.requestedBy);
      const key = { operation: 'test', key: order.id, hmac: Buffer.from(order.id) };
      let taken = await taker.submit(claimOf(order, { key }));
      // a twin holds the key for the moment
      while (taken.refusal === 'idempotency_in_progress') taken = await taker.submit(claimOf(order, { key }));
      const { status, refusal, members, isRepeat } = taken;
      if (!isRepeat) return { status, refusal, members };
      const stands = await transferState.one(books.em(), { id: order.id });
      return { status: stands.status, refusal: null, members: null };
    },
  };
}

async function authorise({ asOwner }: Pick<Books, 'asOwner'>, person: UserId): Promise<void> {
  await asOwner(`update users set role = 'admin' where id = $1 and role <> 'admin'`, [person]);
  await asOwner(
    `insert into user_permissions (user_id, action) values ($1, 'adjustments:write'), ($1, 'transfers:reverse') on conflict do nothing`,
    [person],
  );
}

/** An administrator who holds these permissions. */
export async function openAdmin(books: Books, ...actions: readonly string[]): Promise<UserId> {
  const id = UserId.parse(randomUUID());
  await books.asOwner(
    `insert into users (id, email, first_name, last_name, status, role, password_hash) values ($1, $2, 'Test', 'Admin', 'active', 'admin', '$argon2id$never')`,
    [id, `${id}@books.test`],
  );
  for (const action of actions)
    await books.asOwner('insert into user_permissions (user_id, action) values ($1, $2)', [id, action]);
  return id;
}
