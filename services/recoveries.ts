/** All kinds of processes that can be recovered from their rows. */
import type { Config } from '../config.ts';
import { accountRequestRecovery } from './accounts/recovery.ts';
import { disputeRecovery } from './cards/dispute-recovery.ts';
import { cardRecovery } from './cards/recovery.ts';
import { kybRecovery, kycRecovery } from './compliance/life.ts';
import { depositRecovery } from './crypto/deposits.ts';
import { orderRecovery } from './crypto/orders.ts';
import { walletsRecovery } from './crypto/recovery.ts';
import { announcementRecovery } from './notifications/announcements.ts';
import { messageRecovery } from './notifications/recovery.ts';
import type { Recovery } from './platform/recovery.ts';
import { changeRecovery } from './platform/waiting-changes.ts';
import { ticketRecovery } from './tickets/recovery.ts';
import { movementRecoveries, scheduledRunRecovery } from './transfers/recovery.ts';
import { uploadRecovery } from './uploads/recovery.ts';

/** Calls `act` with each of them; they differ in what their processes start with. */
export function withEachRecovery<Result>(
  config: Config,
  act: <Input>(recovery: Recovery<Input>) => Result,
): Result[] {
  return [
    ...movementRecoveries.map((recovery) => act(recovery)),
    act(scheduledRunRecovery),
    act(accountRequestRecovery(config)),
    act(changeRecovery(config)),
    act(ticketRecovery),
    act(uploadRecovery),
    act(cardRecovery),
    act(disputeRecovery),
    act(walletsRecovery),
    act(depositRecovery),
    act(orderRecovery),
    act(kycRecovery),
    act(kybRecovery),
    act(messageRecovery),
    act(announcementRecovery),
  ];
}
