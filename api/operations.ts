/** The list of all operations, in the order of the documentation. What is not in it does not exist. */
import type { Operation } from './operation.ts';
import * as accountRequestsForAdmins from './account-requests/admin-operations.ts';
import * as accountRequests from './account-requests/operations.ts';
import * as accountTypesForAdmins from './account-types/admin-operations.ts';
import * as accountTypes from './account-types/operations.ts';
import * as accountsForAdmins from './accounts/admin-operations.ts';
import * as accounts from './accounts/operations.ts';
import * as accountsForOwners from './accounts/owner-operations.ts';
import * as accountStatus from './accounts/status-operations.ts';
import * as adjustments from './adjustments/admin-operations.ts';
import * as adminInvitations from './admin-users/invitation-operations.ts';
import * as adminUsers from './admin-users/operations.ts';
import * as adminPermissions from './admin-users/permission-operations.ts';
import * as auditLog from './audit-log/operations.ts';
import * as auth from './auth/operations.ts';
import * as recovery from './auth/recovery-operations.ts';
import * as registration from './auth/registration-operations.ts';
import * as stepUp from './auth/step-up-operations.ts';
import * as balances from './balances/operations.ts';
import * as codec from './codec/admin-operations.ts';
import * as accountFees from './account-fees/admin-operations.ts';
import * as feeRules from './fee-rules/admin-operations.ts';
import * as fxRates from './fx-rates/admin-operations.ts';
import * as ledgerForAdmins from './ledger/admin-operations.ts';
import * as ledger from './ledger/operations.ts';
import * as ledgerEvents from './ledger-events/admin-operations.ts';
import * as platform from './platform/operations.ts';
import * as scheduledTransfers from './scheduled-transfers/operations.ts';
import * as ticketsForAdmins from './tickets/admin-operations.ts';
import * as ticketAttachments from './tickets/attachment-operations.ts';
import * as statements from './statements/operations.ts';
import * as tickets from './tickets/operations.ts';
import * as transferTypesForAdmins from './transfer-types/admin-operations.ts';
import * as recipients from './recipients/operations.ts';
import * as searching from './search/operations.ts';
import * as transferTypes from './transfer-types/operations.ts';
import * as transfersForAdmins from './transfers/admin-operations.ts';
import * as transferCounts from './transfers/count-operations.ts';
import * as transfers from './transfers/operations.ts';
import * as reversals from './transfers/reversal-operations.ts';
import * as mfa from './users/mfa-operations.ts';
import * as contacts from './users/contact-operations.ts';
import * as users from './users/operations.ts';
import * as sessions from './users/session-operations.ts';

export const operations: readonly Operation[] = [
  ...Object.values(platform),
  ...Object.values(registration),
  ...Object.values(auth),
  ...Object.values(stepUp),
  ...Object.values(recovery),
  ...Object.values(users),
  ...Object.values(contacts),
  ...Object.values(sessions),
  ...Object.values(mfa),
  ...Object.values(adminPermissions),
  ...Object.values(adminUsers),
  ...Object.values(adminInvitations),
  ...Object.values(auditLog),
  ...Object.values(accountTypes),
  ...Object.values(accounts),
  ...Object.values(balances),
  ...Object.values(ledger),
  ...Object.values(accountsForOwners),
  ...Object.values(accountRequests),
  ...Object.values(transferTypes),
  ...Object.values(recipients),
  ...Object.values(searching),
  ...Object.values(transfers),
  ...Object.values(scheduledTransfers),
  ...Object.values(feeRules),
  ...Object.values(accountFees),
  ...Object.values(fxRates),
  ...Object.values(accountRequestsForAdmins),
  ...Object.values(accountTypesForAdmins),
  ...Object.values(accountsForAdmins),
  ...Object.values(accountStatus),
  ...Object.values(transferTypesForAdmins),
  ...Object.values(ledgerForAdmins),
  ...Object.values(adjustments),
  ...Object.values(ledgerEvents),
  ...Object.values(transferCounts),
  ...Object.values(transfersForAdmins),
  ...Object.values(reversals),
  ...Object.values(statements),
  ...Object.values(tickets),
  ...Object.values(ticketsForAdmins),
  ...Object.values(ticketAttachments),
  ...Object.values(codec),
];
