/** Letting mail go to an address again. */
import { liftSuppression, suppressedAddress } from '../../../db/queries/notifications/bounces.ts';
import { record } from '../../../db/queries/platform/audit.ts';
import type { SuppressedAddressId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import type { AdminCall } from '../../callers.ts';

/** A repeat does nothing. Refuses not_found. */
export async function liftAddress({ db, actor }: AdminCall, id: SuppressedAddressId): Promise<void> {
  const { userId, reason } = found(await suppressedAddress.first(db, { id }));
  if ((await liftSuppression.run(db, { id, liftedBy: actor.id })) === 0) return;
  await record(db, actor, {
    action: 'suppressed_address.lifted',
    subject: ['suppressed_address', id],
    before: { user: userId, reason },
  });
}
