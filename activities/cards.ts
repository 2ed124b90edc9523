/** Steps in the life of a card, each safe to repeat. */
import { chargeCardFees } from '../db/queries/pricing/account-fees.ts';
import { transaction } from '../db/transaction.ts';
import { machineNow } from '../domain/time/now.ts';
import { carryCardOn } from '../services/cards/life.ts';
import type { CardActivities } from '../workflows/card/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function cardActivities(deps: Pick<ActivityDeps, 'em' | 'cipher' | 'vault'>): CardActivities {
  const { em } = deps;
  return {
    async carryCardOn(id) {
      const step = await transaction(em(), (tx) => carryCardOn(tx, id, deps));
      // by itself: postings lock accounts in an order of their own
      await chargeCardFees.one(em(), { card: id, clock: machineNow() });
      return step;
    },
  };
}
