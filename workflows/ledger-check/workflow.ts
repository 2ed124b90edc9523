/** Started by its schedule: the books are proven from their entries. */
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { onHousekeeping, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';

/** The effects of its steps. */
export interface LedgerCheckActivities extends Carried<'housekeeping'> {
  /** Recomputes every balance, hold and sum from the entries; an alert in the log where one differs. */
  checkLedger(): Promise<{ readonly sound: boolean; readonly broken: readonly string[] }>;
}

const { checkLedger } = onHousekeeping<LedgerCheckActivities>({
  // reads the whole ledger
  startToCloseTimeout: '2 hours',
  retry: { initialInterval: '1m', backoffCoefficient: 2, maximumInterval: '30m' },
});

/** Ends sound or broken; broken, with the names of the checks in its details and an alert in the log. */
export async function ledgerCheck(): Promise<void> {
  const { sound, broken } = await checkLedger();
  upsertSearchAttributes([{ key: searchAttributes.status, value: sound ? 'sound' : 'broken' }]);
  setCurrentDetails(sound ? 'The books are sound.' : `Broken: ${broken.join(', ')}.`);
}
