/** People and their rights as the back office sees them, on the wire. */
import { z } from 'zod';
import { UserId } from '../../../domain/ids.ts';
import { KYC_STATUSES, USER_ROLES, USER_STATUSES } from '../../../domain/identity/people.ts';
import { named } from '../../wire/naming.ts';
import { Address, Email, EXAMPLE_ID, Locale, NewPassword } from '../users/schemas.ts';
import { Line, PersonName, Reason } from '../../wire/text.ts';
import { listOf, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_TIME = '2026-03-01T09:30:00.000Z';
const OTHER_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3f';
const ACTIONS_MAX = 100;

const Action = z
  .string()
  .max(80)
  .regex(/^[a-z][a-z_-]*:[a-z][a-z_-]*$/, 'must be an action, such as "users:read"')
  .describe('An action of GET /v1/admin/permissions.');
const Actions = z.array(Action).max(ACTIONS_MAX);

export const AdminUser = named(
  'AdminUser',
  z.strictObject({
    id: UserId,
    email: z.string().describe('Masked, but where `masked` is false.'),
    email_verified: z.boolean(),
    phone: z.string().nullable().describe('E.164; masked, but where `masked` is false.'),
    phone_verified: z.boolean(),
    first_name: z.string(),
    last_name: z.string(),
    date_of_birth: z.iso.date().nullable().describe('Null while masked.'),
    country: z.string().nullable().describe('Of residence, ISO 3166-1 alpha-2.'),
    address: Address.nullable().describe('Null while masked.'),
    locale: z.string().describe('BCP 47.'),
    role: z.enum(USER_ROLES),
    status: z.enum(USER_STATUSES).describe('`pending`: invited, has not set a password yet.'),
    kyc: z.strictObject({
      status: z.enum(KYC_STATUSES),
      level: z.int().min(0).describe('How far the identity is known; 0 is not at all.'),
    }),
    mfa: z.strictObject({
      totp_enabled: z.boolean(),
      email_otp_enabled: z.boolean(),
      sms_otp_enabled: z.boolean(),
    }),
    last_login_at: Timestamp.nullable(),
    active_sessions: z.int().min(0),
    invited_until: Timestamp.nullable().describe('Until when the invitation of a pending user can be taken.'),
    masked: z
      .boolean()
      .describe('Contact data, birth and address are hidden; POST /v1/admin/users/{id}/reveal shows them.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  {
    ...{ id: EXAMPLE_ID, email: 'a•••@example.com', email_verified: true, phone: '+49•••20' },
    ...{ phone_verified: false, first_name: 'Ann', last_name: 'Smith', date_of_birth: null, country: 'DE' },
    ...{ address: null, locale: 'en', role: 'customer', status: 'active', kyc: { status: 'none', level: 0 } },
    mfa: { totp_enabled: true, email_otp_enabled: false, sms_otp_enabled: false },
    ...{ last_login_at: EXAMPLE_TIME, active_sessions: 1, invited_until: null, masked: true },
    ...{ created_at: EXAMPLE_TIME, updated_at: EXAMPLE_TIME },
  },
);

export const AdminUserList = listOf('AdminUserList', AdminUser);

/** What a list and a count of people are narrowed to. */
export const narrowing = {
  status: z.enum(USER_STATUSES).optional(),
  role: z.enum(USER_ROLES).optional(),
  kyc_status: z.enum(KYC_STATUSES).optional(),
  search: Line(100, 2)
    .optional()
    .describe(
      'Words of the name, email address or phone number, in any script; case and accents do not matter.',
    ),
};

export const AdminInvitation = named(
  'AdminInvitation',
  z.strictObject({
    email: Email,
    first_name: PersonName,
    last_name: PersonName,
    locale: Locale.optional(),
    permissions: Actions.default([]).describe(
      'Each must be held by the caller, and permissions:write with them.',
    ),
  }),
  { email: 'bo@bank.example', first_name: 'Bo', last_name: 'Lind', permissions: ['users:read'] },
);

export const UserStatusUpdate = named(
  'UserStatusUpdate',
  z.strictObject({ status: z.enum(['blocked', 'active']), reason: Reason }),
  { status: 'blocked', reason: 'Reported a stolen phone' },
);

export const RevealRequest = named('RevealRequest', z.strictObject({ reason: Reason }), {
  reason: 'Customer called about ticket T-1000042',
});

export const PermissionChange = named('PermissionChange', z.strictObject({ actions: Actions.min(1) }), {
  actions: ['users:read', 'tickets:read'],
});

export const PromoteRequest = named(
  'PromoteRequest',
  z.strictObject({
    actions: Actions.default([]).describe('Granted at once; each must be held by the caller.'),
  }),
  { actions: ['users:read'] },
);

export const PermissionActionsResponse = named(
  'PermissionActionsResponse',
  z.strictObject({
    items: z.array(
      z.strictObject({
        action: z.string(),
        description: z.string(),
        operations: z.array(z.string()).describe('Titles of the operations that it opens.'),
      }),
    ),
  }),
  {
    items: [
      {
        action: 'users:read',
        description: 'Find customers and administrators; contact data stays masked.',
        operations: ['List users', 'Count users', 'Get user details'],
      },
    ],
  },
);

export const UserPermissionsResponse = named(
  'UserPermissionsResponse',
  z.strictObject({
    user_id: UserId,
    items: z.array(
      z.strictObject({
        action: z.string(),
        granted_by: UserId.nullable().describe('Null: by command.'),
        granted_at: Timestamp,
      }),
    ),
  }),
  { user_id: EXAMPLE_ID, items: [{ action: 'users:read', granted_by: OTHER_ID, granted_at: EXAMPLE_TIME }] },
);

export const InvitationAcceptance = named(
  'InvitationAcceptance',
  z.strictObject({
    code: z
      .string()
      .min(20)
      .max(100)
      .regex(/^[\w-]*$/, 'must be the code of the mail'),
    password: NewPassword,
  }),
  { code: 'q3J8vUe0m2kTt4H1n6yXw9ZbC5dFgKpLrSaVoIuYeQw', password: 'nine loud herons by a pond' },
);
