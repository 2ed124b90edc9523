/** The one list of activities that a worker registers. */
import { accountRequestActivities } from './account-requests.ts';
import { accountFeeActivities } from './account-fees.ts';
import type { ActivityDeps } from './deps.ts';
import { ledgerCheckActivities } from './ledger-check.ts';
import { messageActivities } from './messages.ts';
import { railActivities } from './rail.ts';
import { scheduledTransferActivities } from './scheduled-transfers.ts';
import { signingKeyActivities } from './signing-keys.ts';
import { ticketActivities } from './tickets.ts';
import { transferActivities } from './transfers.ts';
import { uploadActivities } from './uploads.ts';

export type { ActivityDeps } from './deps.ts';

/** All activities, built with what they need. */
export function createActivities(deps: ActivityDeps) {
  return {
    ...transferActivities(deps),
    ...railActivities(deps),
    ...scheduledTransferActivities(deps),
    ...accountFeeActivities(deps),
    ...ledgerCheckActivities(deps),
    ...messageActivities(deps),
    ...signingKeyActivities(deps),
    ...uploadActivities(deps),
    ...ticketActivities(deps),
    ...accountRequestActivities(deps),
  };
}
