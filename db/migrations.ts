/** All migrations, oldest first. Forward only: a landed one is never edited. */
import { Foundation } from './migrations/0001-foundation.ts';
import { Identity } from './migrations/0002-identity.ts';
import { Ledger } from './migrations/0003-ledger.ts';
import { Posting } from './migrations/0004-posting.ts';
import { Support } from './migrations/0005-support.ts';
import { Throttles } from './migrations/0006-throttles.ts';
import { Transfers } from './migrations/0007-transfers.ts';
import { TransferFunctions } from './migrations/0008-transfer-functions.ts';
import { EndsStand } from './migrations/0009-ends-stand.ts';
import { Decisions } from './migrations/0010-decisions.ts';
import { ContactChanges } from './migrations/0011-contact-changes.ts';
import { StartSession } from './migrations/0012-start-session.ts';
import { AdminIdentity } from './migrations/0013-admin-identity.ts';
import { Accounts } from './migrations/0015-accounts.ts';
import { AccountStatus } from './migrations/0016-account-status.ts';
import { Payments } from './migrations/0017-payments.ts';
import { PaymentFunctions } from './migrations/0018-payment-functions.ts';
import { Pricing } from './migrations/0019-pricing.ts';
import { AccountFees } from './migrations/0020-account-fees.ts';
import { Rail } from './migrations/0021-rail.ts';
import { Reads } from './migrations/0023-reads.ts';
import { Search } from './migrations/0024-search.ts';
import { ScheduledTransfers } from './migrations/0026-scheduled-transfers.ts';
import { AccountLimits } from './migrations/0027-account-limits.ts';
import { LedgerEvents } from './migrations/0028-ledger-events.ts';
import { PlansAndNames } from './migrations/0029-plans-and-names.ts';

export const migrations = [
  { name: '0001-foundation', class: Foundation },
  { name: '0002-identity', class: Identity },
  { name: '0003-ledger', class: Ledger },
  { name: '0004-posting', class: Posting },
  { name: '0005-support', class: Support },
  { name: '0006-throttles', class: Throttles },
  { name: '0007-transfers', class: Transfers },
  { name: '0008-transfer-functions', class: TransferFunctions },
  { name: '0009-ends-stand', class: EndsStand },
  { name: '0010-decisions', class: Decisions },
  { name: '0011-contact-changes', class: ContactChanges },
  { name: '0012-start-session', class: StartSession },
  { name: '0013-admin-identity', class: AdminIdentity },
  { name: '0015-accounts', class: Accounts },
  { name: '0016-account-status', class: AccountStatus },
  { name: '0017-payments', class: Payments },
  { name: '0018-payment-functions', class: PaymentFunctions },
  { name: '0019-pricing', class: Pricing },
  { name: '0020-account-fees', class: AccountFees },
  { name: '0021-rail', class: Rail },
  { name: '0023-reads', class: Reads },
  { name: '0024-search', class: Search },
  { name: '0026-scheduled-transfers', class: ScheduledTransfers },
  { name: '0027-account-limits', class: AccountLimits },
  { name: '0028-ledger-events', class: LedgerEvents },
  { name: '0029-plans-and-names', class: PlansAndNames },
] as const;

export type MigrationName = (typeof migrations)[number]['name'];
