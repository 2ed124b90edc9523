/** The one list of activities, by the queue that carries them: the queue that their process names (workflows/queues.ts). */
import type { Queue } from '../domain/queues.ts';
import type { Carried } from '../workflows/queues.ts';
import { accountRequestActivities } from './account-requests.ts';
import { accountFeeActivities } from './account-fees.ts';
import { announcementActivities } from './announcements.ts';
import { disputeActivities, disputeNetworkActivities } from './card-disputes.ts';
import { cardActivities } from './cards.ts';
import { changeActivities } from './changes.ts';
import { depositActivities } from './crypto-deposits.ts';
import { orderActivities } from './crypto-orders.ts';
import { walletActivities } from './crypto-wallets.ts';
import type { ActivityDeps } from './deps.ts';
import { kycActivities } from './kyc.ts';
import { cryptoSnapshotActivities } from './crypto-snapshots.ts';
import { ledgerCheckActivities } from './ledger-check.ts';
import { messageActivities } from './messages.ts';
import { railActivities } from './rail.ts';
import { scheduledTransferActivities } from './scheduled-transfers.ts';
import { signingKeyActivities } from './signing-keys.ts';
import { ticketActivities } from './tickets.ts';
import { transferActivities } from './transfers.ts';
import { uploadActivities } from './uploads.ts';

export type { ActivityDeps } from './deps.ts';

/** All activities, built with what they need. An activity that waits for anything but the database belongs to `outside`. */
export function createActivities(deps: ActivityDeps) {
  return {
    money: {
      ...transferActivities(deps),
      ...accountRequestActivities(deps),
      ...changeActivities(deps),
      ...orderActivities(deps),
    },
    outside: {
      ...messageActivities(deps),
      ...uploadActivities(deps),
      ...railActivities(deps),
      ...disputeNetworkActivities(deps),
      ...walletActivities(deps),
      ...depositActivities(deps),
    },
    housekeeping: {
      ...ticketActivities(deps),
      ...scheduledTransferActivities(deps),
      ...accountFeeActivities(deps),
      ...ledgerCheckActivities(deps),
      ...cryptoSnapshotActivities(deps),
      ...signingKeyActivities(deps),
      ...announcementActivities(deps),
      ...cardActivities(deps),
      ...disputeActivities(deps),
      ...kycActivities(deps),
    },
  } satisfies { readonly [Name in Queue]: Carried<Name> };
}
