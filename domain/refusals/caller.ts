/** Who is calling, and what they may. */
import type { Entry } from './entry.ts';

export const callerRefusals = {
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
    cause:
      'This operation needs a fresh second factor. `reason` tells what is wrong with the token: missing, invalid, expired, spent, other_operation, other_request; or factor_too_old, if the second factor of the session was proven more than `max_age` seconds ago.',
    cure: 'POST /v1/auth/step-up with the id in `operation` (and the very body as `request`, if money moves out), verify the code, and send the token as X-Step-Up-Token. After factor_too_old the verified code is enough: repeat the call as it was.',
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
    cause:
      'Whoever asked for it or benefits from it cannot approve it, nor can an administrator whom they have made or who has made them, until a third person has countersigned that.',
    cure: 'Let another administrator decide.',
  },
  no_second_person: {
    status: 409,
    title: 'No second person',
    cause:
      'This needs the approval of a second administrator, and nobody else who is independent of the caller holds `permission`.',
    cure: 'Make a second administrator by command, or let another one be given the permission.',
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
} as const satisfies Record<string, Entry>;
