/** Money that shall move. */
import type { Entry } from './entry.ts';

export const transferRefusals = {
  insufficient_funds: {
    status: 409,
    title: 'Insufficient funds',
    cause: 'The available balance does not cover the amount.',
    cure: 'Lower the amount or fund the account; then use a new idempotency key.',
  },
  currency_mismatch: {
    status: 409,
    title: 'Currency mismatch',
    cause: 'The amount’s currency is not that of the account.',
    cure: 'Use the account’s currency.',
  },
  same_account: {
    status: 409,
    title: 'Same account',
    cause: 'Source and destination are one account.',
    cure: 'Choose two accounts.',
  },
  transfer_type_unavailable: {
    status: 409,
    title: 'Transfer type unavailable',
    cause:
      'There is no such kind of transfer, it is switched off, not offered in this currency, or does not reach the payee.',
    cure: 'Read GET /v1/transfer-types.',
  },
  transfer_not_pending: {
    status: 409,
    title: 'Transfer not pending',
    cause:
      'The transfer has already been decided, the time for its approval is over, or it failed when the decision was carried out. `transfer_status` says how it stands, and `decision` what was decided first.',
    cure: 'Read the transfer for its present status.',
  },
  limit_exceeded: {
    status: 409,
    title: 'Limit exceeded',
    cause:
      'The amount passes a limit of the customer’s level: `limit` names it, what is used of it and what remains.',
    cure: 'Ask for no more than what remains, wait until earlier uses no longer count, or prove more of who you are.',
  },
  aml_flag_open: {
    status: 409,
    title: 'Flag still open',
    cause: 'The account is still flagged.',
    cure: 'Clear the flag of the account.',
  },
  not_reversible: {
    status: 409,
    title: 'Not reversible',
    cause: 'Only an executed movement inside the bank can be reversed, once, and a reversal cannot.',
    cure: 'Read the transfer for its status and for a reversal that there is already.',
  },
  transfer_declined: {
    status: 409,
    title: 'Transfer declined',
    cause: 'The bank does not carry out this transfer.',
    cure: 'Ask the bank. The same transfer is declined again.',
  },
  rate_unavailable: {
    status: 409,
    title: 'Exchange rate unavailable',
    cause: 'There is no exchange rate between the two currencies, or the last one is too old.',
    cure: 'Send in the currency of the source account, or try again later.',
  },
  amount_not_convertible: {
    status: 409,
    title: 'Amount not convertible',
    cause:
      'One side of the conversion would be less than the smallest unit of its currency, or more than the books hold.',
    cure: 'Choose another amount.',
  },
  schedule_not_active: {
    status: 409,
    title: 'Schedule not active',
    cause: 'The scheduled transfer is completed or cancelled.',
    cure: 'Read it for its status.',
  },
  quote_unusable: {
    status: 409,
    title: 'Quote unusable',
    cause: 'The quote has expired, was used, or is for another transfer.',
    cure: 'Ask for a new quote.',
  },
} as const satisfies Record<string, Entry>;
