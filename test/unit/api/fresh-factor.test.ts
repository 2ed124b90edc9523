/** Which operations of administrators need a fresh second factor. */
import { expect, test } from '@jest/globals';
import { operations } from '../../../api/operations.ts';
import { needsFreshFactor } from '../../../api/pipeline/factors/fresh-factor.ts';

const IDS = [
  'approveChange',
  'assignAmlFlag',
  'attachToAmlFlag',
  'cancelPendingTransfer',
  'clearAmlFlag',
  'closeCardAsAdmin',
  'commentAmlFlag',
  'confirmAmlFlag',
  'createAccountType',
  'createAdjustment',
  'createAdminUser',
  'createCardPaymentSystem',
  'createCardProduct',
  'createFeeRule',
  'decideCardDispute',
  'deleteAccountType',
  'escalateAmlFlag',
  'executePendingTransfer',
  'fileAmlReport',
  'grantPermissions',
  'issueCardAsAdmin',
  'openAccountAndIssueCardForUser',
  'openAccountForUser',
  'openKybDocument',
  'openKycDocument',
  'overrideCustomerRisk',
  'promoteUser',
  'putCryptoLimits',
  'raiseAmlFlag',
  'refreshCryptoWallet',
  'rejectChange',
  'rejectPendingTransfer',
  'releaseCardPaymentAsAdmin',
  'releaseCryptoDeposit',
  'resendInvitation',
  'resetCryptoBreaker',
  'resolveAmlFlag',
  'reverseTransfer',
  'reviewKybApplication',
  'reviewKybDocument',
  'reviewKycApplication',
  'reviewKycDocument',
  'revokePermissions',
  'setAccountLimits',
  'setAccountStatus',
  'setUserStatus',
  'updateAccountType',
  'updateCardAsAdmin',
  'updateCardPaymentSystem',
  'updateCardProduct',
  'updateCryptoAsset',
  'updateCryptoNetwork',
  'updateFeeRule',
  'updateTransferType',
  'updateUser',
  'upsertFxRate',
  'withdrawChange',
];

test('every operation that moves money or gives authority needs a fresh factor, and no other does', () => {
  expect(
    operations
      .filter(needsFreshFactor)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(IDS);
});
