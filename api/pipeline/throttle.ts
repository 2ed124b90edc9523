/** Step: counts the call of an operation that is throttled. */
import { refuse } from '../../domain/refusals.ts';
import type { Client } from '../../services/callers.ts';
import { network, type Throttles } from '../../services/platform/throttles.ts';
import type { Operation } from '../declaration/operation.ts';

/** Counts it by the client's address. */
export async function throttle(operation: Operation, client: Client, throttles: Throttles): Promise<void> {
  if (operation.throttle === undefined) return;
  await throttles.take({ refusal: refuse }, operation.id, network(client.address), operation.throttle);
}
