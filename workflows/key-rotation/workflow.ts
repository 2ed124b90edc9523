/** The rotation of the keys that sign tokens; started every day by its schedule. */
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { onHousekeeping, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';

/** The effects of its steps. */
export interface SigningKeyActivities extends Carried<'housekeeping'> {
  /** Lets another key sign where the present one has done so long enough; answers whether it did. Safe to repeat. */
  rotateSigningKeysIfDue(): Promise<boolean>;
}

const { rotateSigningKeysIfDue } = onHousekeeping<SigningKeyActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
});

/** Asks whether it is time, and lets another key sign where it is. Ends rotated or not_due. */
export async function keyRotation(): Promise<'rotated' | 'not_due'> {
  const status = (await rotateSigningKeysIfDue()) ? 'rotated' : 'not_due';
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  setCurrentDetails(status === 'rotated' ? 'Another key signs tokens now.' : 'The present key signs on.');
  return status;
}
