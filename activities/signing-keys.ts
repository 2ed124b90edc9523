/** Rotating the keys that sign tokens. */
import { rotateSigningKeys } from '../services/identity/sessions/key-rotation.ts';
import type { ActivityDeps } from './deps.ts';
import { transaction } from '../db/transaction.ts';

export interface SigningKeyActivities {
  /** Lets another key sign where the present one has done so long enough; answers whether it did. Safe to repeat. */
  rotateSigningKeysIfDue(): Promise<boolean>;
}

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
