/** Step: counts the call of an operation that is throttled. */
import { refuse } from '../../domain/refusals.ts';
import type { Client } from '../../services/callers.ts';
import { network, type Throttles } from '../../services/platform/throttles.ts';
import type { Operation } from '../declaration/operation.ts';
import type { Caller } from './authenticate.ts';

/** Gives the point of a call back, if it succeeded and only failures count. */
export type Succeeded = () => Promise<void>;

/** Counts it by the client's network or by the user. Refuses too_many_requests. */
export async function throttle(
  { id, throttle: rule }: Operation,
  client: Client,
  caller: Caller,
  throttles: Throttles,
): Promise<Succeeded> {
  if (rule === undefined) return nothing;
  const key = rule.per === 'user' && caller !== null ? caller.id : network(client.address);
  await throttles.take({ refusal: refuse }, id, key, rule);
  return rule.counts === 'failures' ? () => throttles.giveBack(id, key, rule) : nothing;
}

async function nothing(): Promise<void> {
  // every call of this operation counts
}
