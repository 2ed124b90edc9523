/** Rotating the keys that sign tokens. */
import { rotateSigningKeys } from '../services/identity/sessions/key-rotation.ts';
import type { SigningKeyActivities } from '../workflows/key-rotation/workflow.ts';
import type { ActivityDeps } from './deps.ts';
import { transaction } from '../db/transaction.ts';

export function signingKeyActivities({
  em,
  cipher,
  keyRotationDays,
}: Pick<ActivityDeps, 'em' | 'cipher' | 'keyRotationDays'>): SigningKeyActivities {
  return {
    rotateSigningKeysIfDue: () =>
      transaction(em(), (tx) =>
        rotateSigningKeys(tx, cipher, { minimumDays: keyRotationDays, reason: 'by schedule' }),
      ),
  };
}
