/** Steps in the life of a card, each in one transaction that is safe to repeat. */
import { transaction } from '../db/transaction.ts';
import { carryCardOn } from '../services/cards/life.ts';
import type { CardActivities } from '../workflows/card/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function cardActivities(deps: Pick<ActivityDeps, 'em' | 'cipher' | 'vault'>): CardActivities {
  return { carryCardOn: (id) => transaction(deps.em(), (tx) => carryCardOn(tx, id, deps)) };
}
