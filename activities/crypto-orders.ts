/** Carrying orders of coins out: one database transaction each, safe to repeat. */
import { carryOutOrder } from '../services/crypto/orders.ts';
import type { OrderActivities } from '../workflows/crypto-order/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function orderActivities({ em }: Pick<ActivityDeps, 'em'>): OrderActivities {
  return { carryOutOrder: (order) => carryOutOrder(em(), order) };
}
