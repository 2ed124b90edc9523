/** Daily snapshots of what customers have in coins. */
import { beginCryptoSnapshot, takeCryptoSnapshots } from '../db/queries/crypto/portfolio.ts';
import type { CryptoSnapshotActivities } from '../workflows/crypto-snapshots/workflow.ts';
import type { ActivityDeps } from './deps.ts';

const BATCH = 1_000;

export function cryptoSnapshotActivities({ em }: Pick<ActivityDeps, 'em'>): CryptoSnapshotActivities {
  return {
    beginCryptoSnapshot: async () => (await beginCryptoSnapshot.one(em())).day,
    takeCryptoSnapshots: (day, after) => takeCryptoSnapshots.one(em(), { day, after, most: BATCH }),
  };
}
