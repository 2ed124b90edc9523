/**
 * Every "no" the service gives: code → status, title, cause and cure. Code throws or returns a `Refusal` with one of these
 * codes; one place (`api/pipeline/problem.ts`) turns it into an RFC 9457 Problem; the docs page is made from the same table.
 * A code is stable: clients decide by it.
 */
interface Entry {
  readonly status: 400 | 401 | 403 | 404 | 406 | 409 | 413 | 415 | 429 | 500 | 503;
  readonly title: string;
  readonly cause: string;
  readonly cure: string;
}

export const refusals = {
  // the request itself
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    cause: 'A field of the path, query, headers or body breaks its rule; `errors` points to each.',
    cure: 'Correct the named fields.',
  },
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    cause: 'The body is not a JSON object.',
    cure: 'Send a JSON object in UTF-8.',
  },
  idempotency_key_required: {
    status: 400,
    title: 'Idempotency key required',
    cause: 'This operation moves money and needs the header Idempotency-Key.',
    cure: 'Send a fresh random key of 1 to 255 characters for each intent, and the same key when retrying it.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    cause: 'The body is over the limit of this operation.',
    cure: 'Send less, or upload files through an upload URL.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    cause: 'The body is not application/json.',
    cure: 'Send Content-Type: application/json.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    cause: 'The answer is offered in none of the media types that Accept asks for; `offered` lists them.',
    cure: 'Ask for one of the offered media types, or leave Accept out.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    cause: 'The limit of attempts is used up for now.',
    cure: 'Wait as long as Retry-After says.',
  },
  // who is calling
  unauthenticated: {
    status: 401,
    title: 'Not authenticated',
    cause: 'The bearer token is missing, expired or not valid here, or its session has ended.',
    cure: 'Log in or refresh the token.',
  },
  invalid_credentials: {
    status: 401,
    title: 'Invalid credentials',
    cause: 'The identifier and the secret do not match, or the login may not be used.',
    cure: 'Check both and try again.',
  },
  invalid_refresh_token: {
    status: 401,
    title: 'Invalid refresh token',
    cause: 'The refresh token is unknown, used, expired or its session has ended.',
    cure: 'Log in again.',
  },
  step_up_required: {
    status: 401,
    title: 'Step-up required',
    cause: 'This operation needs a fresh second factor.',
    cure: 'POST /v1/auth/step-up with this operation’s id, verify the code, and send the token as X-Step-Up-Token.',
  },
  invalid_signature: {
    status: 401,
    title: 'Invalid signature',
    cause: 'The signature of the message does not verify.',
    cure: 'Sign the raw body with the agreed key.',
  },
  forbidden: {
    status: 403,
    title: 'Not permitted',
    cause: 'The caller lacks the permission of this operation.',
    cure: 'Ask an administrator for the permission named in `permission`.',
  },
  second_factor_required: {
    status: 403,
    title: 'Second factor required',
    cause: 'An administrator’s session that has not proven a second factor may do nothing but set one up.',
    cure: 'Set up TOTP under /v1/users/me/mfa, or log in again with the second factor that is on.',
  },
  same_person: {
    status: 403,
    title: 'Another person must decide',
    cause: 'Whoever asked for it or benefits from it cannot approve it.',
    cure: 'Let another administrator decide.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    cause: 'There is nothing here that the caller may see.',
    cure: 'Check the path and the id.',
  },
  permission_not_held: {
    status: 403,
    title: 'Permission not held',
    cause:
      'Nobody grants what they do not hold, and an administrator is blocked only by who may change permissions.',
    cure: 'Leave out the action named in `permission`, or let an administrator who holds it do this.',
  },
  // state
  conflict: {
    status: 409,
    title: 'Conflict',
    cause: 'The present state does not allow this.',
    cure: 'Read the resource again and decide anew.',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'Idempotency key reused',
    cause: 'The key was used with another request body.',
    cure: 'Use a fresh key for a new intent.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Request in progress',
    cause: 'A request with the same key is still being worked on.',
    cure: 'Repeat it with the same key after Retry-After.',
  },
  etag_mismatch: {
    status: 409,
    title: 'Changed meanwhile',
    cause: 'If-Match does not name the present version.',
    cure: 'Read the resource again, then repeat the change.',
  },
  // codes and factors
  invalid_code: {
    status: 400,
    title: 'Invalid code',
    cause: 'The code is wrong, expired, used or over its attempts.',
    cure: 'Check the code or ask for a new one.',
  },
  no_such_factor: {
    status: 409,
    title: 'Factor not available',
    cause: 'The chosen second factor is not set up.',
    cure: 'Choose one of the factors that GET /v1/users/me/mfa lists as enabled.',
  },
  totp_already_enabled: {
    status: 409,
    title: 'TOTP already enabled',
    cause: 'TOTP is active for this user.',
    cure: 'Remove it first to set it up anew.',
  },
  totp_not_pending: {
    status: 409,
    title: 'No TOTP setup pending',
    cause: 'There is no TOTP setup to confirm.',
    cure: 'Begin a setup first.',
  },
  last_factor: {
    status: 409,
    title: 'Last second factor',
    cause: 'The only second factor left cannot be removed or switched off.',
    cure: 'Set up another factor first.',
  },
  weak_password: {
    status: 400,
    title: 'Weak password',
    cause: 'The password is common or contains the user’s own data.',
    cure: 'Choose a longer phrase that others would not think of.',
  },
  // administrators
  not_an_admin: {
    status: 409,
    title: 'Not an administrator',
    cause: 'Only administrators hold permissions.',
    cure: 'Promote the user first.',
  },
  already_an_admin: {
    status: 409,
    title: 'Already an administrator',
    cause: 'The user is an administrator.',
    cure: 'Grant the permissions instead.',
  },
  login_exists: {
    status: 409,
    title: 'Login exists',
    cause: 'The email address has a login.',
    cure: 'Promote that user, or use another address.',
  },
  // money
  insufficient_funds: {
    status: 409,
    title: 'Insufficient funds',
    cause: 'The available balance does not cover the amount.',
    cure: 'Lower the amount or fund the account; then use a new idempotency key.',
  },
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
  balance_limit: {
    status: 409,
    title: 'Balance limit',
    cause: 'The movement would take the account over its maximum balance.',
    cure: 'Lower the amount.',
  },
  transfer_type_unavailable: {
    status: 409,
    title: 'Transfer type unavailable',
    cause: 'This kind of transfer is switched off or not offered in this currency.',
    cure: 'Read GET /v1/transfer-types.',
  },
  transfer_not_pending: {
    status: 409,
    title: 'Transfer not pending',
    cause: 'The transfer has already been decided.',
    cure: 'Read the transfer for its present status.',
  },
  limit_exceeded: {
    status: 409,
    title: 'Limit exceeded',
    cause:
      'The amount passes a limit of the customer’s level: `limit` names it, what is used of it and what remains.',
    cure: 'Send no more than what remains, wait for the next day or month, or prove more of who you are.',
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
  account_type_unavailable: {
    status: 409,
    title: 'Account type unavailable',
    cause: 'This account type cannot be opened by the caller.',
    cure: 'Read GET /v1/account-types.',
  },
  kyc_level_too_low: {
    status: 409,
    title: 'KYC level too low',
    cause:
      'This needs a higher level of identification: `required` of 0 to 2, where the customer has `level`.',
    cure: 'Submit the documents of the next level.',
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
  // tickets and uploads
  ticket_closed: {
    status: 409,
    title: 'Ticket closed',
    cause: 'The ticket is closed.',
    cure: 'Open a new ticket.',
  },
  ticket_full: {
    status: 409,
    title: 'Ticket full',
    cause: 'The ticket carries as many messages as it may.',
    cure: 'Open a new ticket and name this one in it.',
  },
  not_own_message: {
    status: 409,
    title: 'Message of the other side',
    cause: 'Files go on messages of one’s own side of the conversation.',
    cure: 'Add a message and put the file on that.',
  },
  too_many_attachments: {
    status: 409,
    title: 'Too many attachments',
    cause: 'The message carries as many files as it may, those still expected included.',
    cure: 'Add another message.',
  },
  upload_missing: {
    status: 409,
    title: 'Nothing uploaded',
    cause: 'The store has no object for this upload.',
    cure: 'PUT the file to the upload URL, then confirm.',
  },
  upload_rejected: {
    status: 409,
    title: 'Upload rejected',
    cause: 'The file is over the size cap or is not what was declared; it was not kept.',
    cure: 'Send an allowed file, through a new upload URL where it came through one.',
  },
  upload_expired: {
    status: 409,
    title: 'Upload expired',
    cause: 'The upload was not confirmed in time.',
    cure: 'Ask for a new upload URL.',
  },
  unsupported_file_type: {
    status: 400,
    title: 'Unsupported file type',
    cause: 'Files of this content type are not accepted.',
    cure: 'Send one of the types the operation documents.',
  },
  // statements
  format_not_offered: {
    status: 409,
    title: 'Format not offered',
    cause: 'camt.053 is a message about money; what this account keeps has no ISO 4217 code.',
    cure: 'Ask for the statement as JSON, CSV or PDF.',
  },
  // the service
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    cause: 'A part this operation needs does not answer.',
    cure: 'Repeat the request with the same Idempotency-Key after Retry-After.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    cause: 'A fault of the service.',
    cure: 'Report the request id to support.',
  },
} as const satisfies Record<string, Entry>;

export type RefusalCode = keyof typeof refusals;

/** One field at fault: an RFC 6901 pointer into the body, or `query/name`, `path/name`, `header/name`. */
export interface FieldFault {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

export interface RefusalOptions {
  /** A sentence for this occurrence; never a secret, never SQL. */
  readonly detail?: string;
  readonly errors?: readonly FieldFault[];
  /** Seconds after which a retry makes sense. */
  readonly retryAfter?: number;
  /** More members for the Problem, such as `available` or `permission`. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/**
 * A business "no". Thrown, it undoes the operation's transaction; returned from a handler, it lets the transaction commit
 * (an attempt that must be counted). Codes only: nothing internal can leak through it.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly options: RefusalOptions;

  constructor(code: RefusalCode, options: RefusalOptions = {}) {
    super(code);
    this.code = code;
    this.options = options;
  }
}
