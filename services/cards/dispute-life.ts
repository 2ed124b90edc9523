/** What the process of a dispute does: looks whether something is due, and tells the network of the claim. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../adapters/cipher.ts';
import type { Storage } from '../../adapters/storage.ts';
import type { Config } from '../../config.ts';
import { holdersOf } from '../../db/queries/accounts/addressees.ts';
import { advanceDispute, disputeOf, noteDisputeTold } from '../../db/queries/cards/disputes.ts';
import type { CardDisputeId } from '../../domain/ids.ts';
import { formatMoney } from '../../domain/money.ts';
import type { DisputeStep } from '../../workflows/card-dispute/contract.ts';
import { notify } from '../notifications/events.ts';

const REVIEWERS = 'cards:write';

/** Reminds the back office of what is due, and says what else there is to do. Needs a transaction. */
export async function carryDisputeOn(
  tx: EntityManager,
  id: CardDisputeId,
  { cipher }: { readonly cipher: Cipher },
): Promise<DisputeStep> {
  const step = await advanceDispute.one(tx, { id });
  if (step.isDue) await remind(tx, id, step.state, cipher);
  const { state: status, isUntold, isOverdue, lookAgainSeconds } = step;
  return { status, isUntold, isOverdue, lookAgainInSeconds: lookAgainSeconds };
}

async function remind(tx: EntityManager, id: CardDisputeId, status: string, cipher: Cipher): Promise<void> {
  const { ownerId } = await disputeOf.one(tx, { id, owner: null });
  for (const reviewer of await holdersOf.all(tx, { action: REVIEWERS })) {
    if (reviewer.id === ownerId) continue;
    const { id: userId, locale } = reviewer;
    await notify(tx, cipher, { userId, type: 'card_dispute_due', locale, values: { status } });
  }
}

/** Where the network finds the claim of a dispute. */
export const claimKey = ({ CARD_FOLDER }: Pick<Config, 'CARD_FOLDER'>, id: CardDisputeId): string =>
  `${CARD_FOLDER}/out/dispute-${id}.json`;

/**
 * Leaves the claim in the store as it is now; what is written last counts. It is written before that is noted, so that whatever was
 * written is retracted in the end.
 */
export async function tellNetworkOfDispute(
  db: EntityManager,
  id: CardDisputeId,
  {
    storage,
    config,
  }: { readonly storage: Pick<Storage, 'put'>; readonly config: Pick<Config, 'CARD_FOLDER'> },
): Promise<void> {
  const { claim, isUntold, networkId, reason, asset } = await disputeOf.one(db, { id, owner: null });
  if (!isUntold || claim === null) return;
  const content = {
    ...{ dispute_id: id, payment_id: networkId, reason },
    status: claim === 0n ? 'retracted' : 'filed',
    amount: formatMoney({ minor: claim, asset }),
  };
  await storage.put(claimKey(config, id), Buffer.from(JSON.stringify(content)), 'application/json');
  await noteDisputeTold.run(db, { id, claim });
}
