/** The daily snapshot of what customers have in coins, started by its schedule. */
import { continueAsNew, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { onHousekeeping, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';

/** How far a batch came. */
interface SnapshotBatch {
  /** The last account looked at; null if there are no more. */
  readonly last: string | null;
  readonly taken: number;
}

/** The effects of its steps. */
export interface CryptoSnapshotActivities extends Carried<'housekeeping'> {
  /** Keeps the moment of this day's snapshot and the prices of then, unless it has begun; answers the day. */
  beginCryptoSnapshot(): Promise<string>;
  /** Takes the snapshot for the next accounts after this one: what was on them at its moment. */
  takeCryptoSnapshots(day: string, after: string | null): Promise<SnapshotBatch>;
}

const { beginCryptoSnapshot, takeCryptoSnapshots } = onHousekeeping<CryptoSnapshotActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** After so many batches the history is begun anew. */
const BATCHES_A_RUN = 500;

/** Where a run goes on that has grown too long. */
export interface SnapshotProgress {
  readonly day: string;
  readonly after: string | null;
}

/** Takes the snapshot of the day on which it begins. However late a batch is, it shows the same moment. */
export async function cryptoSnapshots(left: SnapshotProgress | null): Promise<void> {
  const day = left?.day ?? (await beginCryptoSnapshot());
  setCurrentDetails(`Takes the snapshot of ${day}.`);
  let after = left?.after ?? null;
  let batches = 0;
  do {
    if (batches++ === BATCHES_A_RUN) await continueAsNew<typeof cryptoSnapshots>({ day, after });
    after = (await takeCryptoSnapshots(day, after)).last;
  } while (after !== null);
  upsertSearchAttributes([{ key: searchAttributes.status, value: 'done' }]);
  setCurrentDetails(`The snapshot of ${day} is taken.`);
}
