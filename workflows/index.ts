/** The entry of the workflow bundle: every process by its name. */
export { accountRequest } from './account-request/workflow.ts';
export { accountFees } from './account-fees/workflow.ts';
export { adjustment } from './adjustment/workflow.ts';
export { announcement } from './announcement/workflow.ts';
export { card } from './card/workflow.ts';
export { cryptoDeposit } from './crypto-deposit/workflow.ts';
export { cryptoWallets } from './crypto-wallets/workflow.ts';
export { cardDispute } from './card-dispute/workflow.ts';
export { change } from './change/workflow.ts';
export { kyb, kyc } from './kyc/workflow.ts';
export { keyRotation } from './key-rotation/workflow.ts';
export { ledgerCheck } from './ledger-check/workflow.ts';
export { message } from './message/workflow.ts';
export { reversal } from './reversal/workflow.ts';
export { scheduledTransfer, scheduledTransfers } from './scheduled-transfer/workflow.ts';
export { ticket } from './ticket/workflow.ts';
export { transfer } from './transfer/workflow.ts';
export { upload } from './upload/workflow.ts';
