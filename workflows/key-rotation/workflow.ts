/** The rotation of the keys that sign tokens; started every day by its schedule. */
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { onHousekeeping } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';

const { rotateSigningKeysIfDue } = onHousekeeping({
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
