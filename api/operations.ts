/** The list of all operations, in the order of the documentation. What is not in it does not exist. Each folder lists its own. */
import type { Config } from '../config.ts';
import type { Operation } from './declaration/operation.ts';
import { operations as screeningLists } from './aml/screening/list-operations.ts';
import { operations as screening } from './aml/screening/operations.ts';
import { operations as accountRequestsForAdmins } from './accounts/requests/admin-operations.ts';
import { operations as accountRequests } from './accounts/requests/operations.ts';
import { operations as accountTypesForAdmins } from './accounts/types/admin-operations.ts';
import { operations as accountTypes } from './accounts/types/operations.ts';
import { operations as accountsForAdmins } from './accounts/admin-operations.ts';
import { operations as accounts } from './accounts/operations.ts';
import { operations as accountsForOwners } from './accounts/owner-operations.ts';
import { operations as accountStatus } from './accounts/status-operations.ts';
import { operations as cardsForAdmins } from './cards/admin-operations.ts';
import { operations as cardMoves } from './cards/move-operations.ts';
import { operations as cards } from './cards/operations.ts';
import { operations as cardNetwork } from './cards/payments/network-operations.ts';
import { operations as cardPayments } from './cards/payments/operations.ts';
import { operations as cardPaymentsForAdmins } from './cards/payments/admin-operations.ts';
import { operations as cardFiles } from './cards/payments/file-operations.ts';
import { operations as cardChallenges } from './cards/challenges/operations.ts';
import { operations as cardAuthentications } from './cards/challenges/network-operations.ts';
import { operations as cardDisputes } from './cards/disputes/operations.ts';
import {
  adminOperations as cardDisputeFilesForAdmins,
  operations as cardDisputeFiles,
} from './cards/disputes/attachment-operations.ts';
import { operations as cardDisputesForAdmins } from './cards/disputes/admin-operations.ts';
import { operations as cardDisputeOutcomes } from './cards/disputes/network-operations.ts';
import { operations as cardTerms } from './cards/terms-operations.ts';
import { operations as cardPins } from './cards/pin-operations.ts';
import { operations as cardPaymentSystems } from './cards/payment-systems/admin-operations.ts';
import { operations as cardProducts } from './cards/products/operations.ts';
import { operations as cardProductsForAdmins } from './cards/products/admin-operations.ts';
import { operations as cryptoAddresses } from './crypto/addresses/operations.ts';
import { operations as cryptoDepositsAsAdmin } from './crypto/deposits/admin-operations.ts';
import { operations as cryptoDeposits } from './crypto/deposits/operations.ts';
import { operations as cryptoLimits } from './crypto/limits/admin-operations.ts';
import { operations as cryptoOrders } from './crypto/orders/operations.ts';
import { operations as cryptoTransactions } from './crypto/transactions/operations.ts';
import { operations as cryptoPortfolio } from './crypto/portfolio/operations.ts';
import { operations as cryptoPrices } from './crypto/prices/admin-operations.ts';
import { operations as cryptoReserves } from './crypto/reserves/admin-operations.ts';
import { operations as cryptoWalletsAsAdmin } from './crypto/wallets/admin-operations.ts';
import { operations as cryptoWallets } from './crypto/wallets/operations.ts';
import { operations as cryptoWebhooks } from './crypto/webhooks/partner-operations.ts';
import { operations as cryptoSetup } from './crypto/setup/admin-operations.ts';
import { operations as adjustments } from './transfers/adjustments/admin-operations.ts';
import { operations as adminInvitations } from './identity/admin-users/invitation-operations.ts';
import { operations as adminUsers } from './identity/admin-users/operations.ts';
import { operations as adminPermissions } from './identity/admin-users/permission-operations.ts';
import { operations as auditLog } from './identity/audit-log/operations.ts';
import { operations as auth } from './identity/auth/operations.ts';
import { operations as recovery } from './identity/auth/recovery-operations.ts';
import { operations as registration } from './identity/auth/registration-operations.ts';
import { operations as stepUp } from './identity/auth/step-up-operations.ts';
import { operations as amlCases } from './aml/case-operations.ts';
import { operations as amlFlags } from './aml/flag-operations.ts';
import { operations as amlRules } from './aml/rule-operations.ts';
import { operations as amlTrials } from './aml/trial-operations.ts';
import { operations as amlAttachments } from './aml/attachment-operations.ts';
import { operations as amlBacktests } from './aml/backtest-operations.ts';
import { operations as amlValueLists } from './aml/value-list-operations.ts';
import { operations as kybDocuments } from './compliance/kyb/document-operations.ts';
import { operations as kyb } from './compliance/kyb/operations.ts';
import { operations as kybForAdmins } from './compliance/kyb/admin-operations.ts';
import { operations as kycDocuments } from './compliance/kyc/document-operations.ts';
import { operations as kyc } from './compliance/kyc/operations.ts';
import { operations as kycForAdmins } from './compliance/kyc/admin-operations.ts';
import { operations as risks } from './compliance/risks/admin-operations.ts';
import { operations as balances } from './accounts/balances/operations.ts';
import { operations as changes } from './platform/changes/operations.ts';
import { operations as codec } from './platform/codec/admin-operations.ts';
import { operations as refusedStarts } from './platform/processes/admin-operations.ts';
import { makeSandboxEvent } from './notifications/sandbox-operations.ts';
import { operations as sandbox } from './platform/sandbox/operations.ts';
import { operations as settings } from './platform/settings/admin-operations.ts';
import { operations as accountFees } from './pricing/account-fees/admin-operations.ts';
import { operations as feeRules } from './pricing/fee-rules/admin-operations.ts';
import { operations as fxRates } from './pricing/fx-rates/admin-operations.ts';
import { operations as ledgerForAdmins } from './ledger/admin-operations.ts';
import { operations as ledger } from './ledger/operations.ts';
import { operations as ledgerEvents } from './ledger/events/admin-operations.ts';
import { operations as notifications } from './notifications/operations.ts';
import { operations as announcements } from './notifications/admin/announcement-operations.ts';
import { operations as pushSubscriptions } from './notifications/push-operations.ts';
import { operations as notificationStream } from './notifications/stream-operations.ts';
import { operations as notificationMessages } from './notifications/admin/message-operations.ts';
import { operations as suppressedAddresses } from './notifications/admin/suppression-operations.ts';
import { operations as notificationTemplates } from './notifications/admin/template-operations.ts';
import { operations as notificationTypes } from './notifications/admin/type-operations.ts';
import { operations as platform } from './platform/operations.ts';
import { operations as scheduledTransfers } from './transfers/scheduled/operations.ts';
import { operations as ticketsForAdmins } from './tickets/admin-operations.ts';
import { operations as ticketAttachments } from './tickets/attachment-operations.ts';
import { operations as statements } from './statements/operations.ts';
import { operations as tickets } from './tickets/operations.ts';
import { operations as transferTypesForAdmins } from './transfers/types/admin-operations.ts';
import { operations as recipients } from './transfers/recipients/operations.ts';
import { operations as searching } from './ledger/search/operations.ts';
import { operations as transferTypes } from './transfers/types/operations.ts';
import { operations as transfersForAdmins } from './transfers/admin-operations.ts';
import { operations as transferCounts } from './transfers/count-operations.ts';
import { operations as transfers } from './transfers/operations.ts';
import { operations as reversals } from './transfers/reversal-operations.ts';
import { operations as mfa } from './identity/users/mfa-operations.ts';
import { operations as contacts } from './identity/users/contact-operations.ts';
import { operations as users } from './identity/users/operations.ts';
import { operations as sessions } from './identity/users/session-operations.ts';

export const operations: readonly Operation[] = [
  ...platform,
  ...registration,
  ...auth,
  ...stepUp,
  ...recovery,
  ...users,
  ...contacts,
  ...sessions,
  ...mfa,
  ...adminPermissions,
  ...adminUsers,
  ...adminInvitations,
  ...changes,
  ...auditLog,
  ...accountTypes,
  ...accounts,
  ...balances,
  ...ledger,
  ...accountsForOwners,
  ...accountRequests,
  ...cardProducts,
  ...cards,
  ...cardMoves,
  ...cardTerms,
  ...cardPayments,
  ...cardNetwork,
  ...cardChallenges,
  ...cardAuthentications,
  ...cardDisputes,
  ...cardDisputeFiles,
  ...cardDisputeOutcomes,
  ...cardPins,
  ...transferTypes,
  ...recipients,
  ...searching,
  ...transfers,
  ...scheduledTransfers,
  ...feeRules,
  ...accountFees,
  ...fxRates,
  ...accountRequestsForAdmins,
  ...accountTypesForAdmins,
  ...accountsForAdmins,
  ...accountStatus,
  ...cardPaymentSystems,
  ...cardProductsForAdmins,
  ...cardsForAdmins,
  ...cardPaymentsForAdmins,
  ...cardFiles,
  ...cardDisputesForAdmins,
  ...cardDisputeFilesForAdmins,
  ...transferTypesForAdmins,
  ...ledgerForAdmins,
  ...adjustments,
  ...ledgerEvents,
  ...transferCounts,
  ...transfersForAdmins,
  ...reversals,
  ...cryptoPortfolio,
  ...cryptoWallets,
  ...cryptoDeposits,
  ...cryptoOrders,
  ...cryptoTransactions,
  ...cryptoAddresses,
  ...cryptoWebhooks,
  ...cryptoWalletsAsAdmin,
  ...cryptoDepositsAsAdmin,
  ...cryptoSetup,
  ...cryptoLimits,
  ...cryptoPrices,
  ...cryptoReserves,
  ...kyc,
  ...kycDocuments,
  ...kycForAdmins,
  ...risks,
  ...kyb,
  ...kybDocuments,
  ...kybForAdmins,
  ...amlFlags,
  ...amlCases,
  ...amlRules,
  ...amlTrials,
  ...amlBacktests,
  ...amlAttachments,
  ...amlValueLists,
  ...statements,
  ...notifications,
  ...notificationStream,
  ...pushSubscriptions,
  ...notificationMessages,
  ...suppressedAddresses,
  ...announcements,
  ...notificationTemplates,
  ...notificationTypes,
  ...tickets,
  ...ticketsForAdmins,
  ...ticketAttachments,
  ...screening,
  ...screeningLists,
  ...codec,
  ...refusedStarts,
  ...settings,
];

/** All of them, and in development those that only development has. */
export function operationsOf({ NODE_ENV }: Pick<Config, 'NODE_ENV'>): readonly Operation[] {
  return NODE_ENV === 'development' ? [...operations, ...sandbox, makeSandboxEvent] : operations;
}
