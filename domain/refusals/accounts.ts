/** Accounts, their types, requests and flags. */
import type { Entry } from './entry.ts';

export const accountRefusals = {
  account_blocked: {
    status: 409,
    title: 'Account blocked',
    cause: 'An account of this movement is blocked for it.',
    cure: 'Ask support why.',
  },
  account_closed: {
    status: 409,
    title: 'Account closed',
    cause: 'An account of this movement is closed.',
    cure: 'Choose another account.',
  },
  balance_limit: {
    status: 409,
    title: 'Balance limit',
    cause:
      'After the movement an account would hold more than its maximum balance, or more than can be booked.',
    cure: 'Lower the amount. A transfer that waits stays as it is: it can be rejected or cancelled.',
  },
  account_type_unavailable: {
    status: 409,
    title: 'Account type unavailable',
    cause: 'This account type cannot be opened by the caller.',
    cure: 'Read GET /v1/account-types.',
  },
  in_use: {
    status: 409,
    title: 'In use',
    cause: 'Something still refers to it.',
    cure: 'Disable it instead: what exists stays as it is.',
  },
  account_not_empty: {
    status: 409,
    title: 'Account not empty',
    cause: 'Only an account with a balance of zero and nothing held can be closed.',
    cure: 'Move the balance to another account and let pending transfers end.',
  },
  overdraft_in_use: {
    status: 409,
    title: 'Overdraft in use',
    cause: 'The account is further below zero than the new limit allows.',
    cure: 'Choose a limit that covers it, or let it be paid back first.',
  },
  account_frozen: {
    status: 409,
    title: 'Account frozen',
    cause: 'The account is frozen while a flag on it is reviewed.',
    cure: 'Let the flag be cleared first.',
  },
  account_flagged: {
    status: 409,
    title: 'Account flagged',
    cause: 'The account has an open flag.',
    cure: 'Let the flag be cleared first.',
  },
  account_not_flagged: {
    status: 409,
    title: 'Account not flagged',
    cause: 'The account has no open flag.',
    cure: 'Read the account for its present state.',
  },
  account_request_open: {
    status: 409,
    title: 'Already requested',
    cause: 'A request of the caller for this account type waits for its review: `account_request_id`.',
    cure: 'Wait for the review, or withdraw that request.',
  },
  account_request_not_pending: {
    status: 409,
    title: 'Request not pending',
    cause: 'The account request has already been decided, withdrawn or has expired.',
    cure: 'Read the request for its present status.',
  },
  format_not_offered: {
    status: 409,
    title: 'Format not offered',
    cause: 'camt.053 is a message about money; what this account keeps has no ISO 4217 code.',
    cure: 'Ask for the statement as JSON, CSV or PDF.',
  },
} as const satisfies Record<string, Entry>;
