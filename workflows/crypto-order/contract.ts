/** All that others may know of the process of an order of coins. What is traded stays in its row. */
import type { OrderFailure, OrderStatus } from '../../domain/crypto/orders.ts';
import type { CryptoOrderId, UserId } from '../../domain/ids.ts';

export interface OrderOfCoins {
  readonly id: CryptoOrderId;
  readonly customerId: UserId;
}

/** What became of an order. */
export interface FilledOrder {
  readonly status: OrderStatus;
  readonly failure: OrderFailure | null;
}
