/** Steps in the life of a dispute, each safe to repeat. */
import { transaction } from '../db/transaction.ts';
import { carryDisputeOn, tellNetworkOfDispute } from '../services/cards/dispute-life.ts';
import type { DisputeActivities, DisputeNetworkActivities } from '../workflows/card-dispute/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function disputeActivities(deps: Pick<ActivityDeps, 'em' | 'cipher'>): DisputeActivities {
  return { carryDisputeOn: (id) => transaction(deps.em(), (tx) => carryDisputeOn(tx, id, deps)) };
}

export function disputeNetworkActivities(
  deps: Pick<ActivityDeps, 'em' | 'storage' | 'config'>,
): DisputeNetworkActivities {
  return {
    async tellNetworkOfDispute(id) {
      await tellNetworkOfDispute(deps.em(), id, deps);
      return true;
    },
  };
}
