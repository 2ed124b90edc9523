/** People and how they prove who they are. Secrets are hashed or sealed. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { ChallengeId, ContactChangeId, RegistrationId, SessionId, UserId } from '../../domain/ids.ts';
import {
  CHALLENGE_PURPOSES,
  CONTACT_KINDS,
  KYC_STATUSES,
  SECOND_FACTORS,
  SESSION_END_REASONS,
  USER_ROLES,
  USER_STATUSES,
  type ChallengePurpose,
  type PostalAddress,
} from '../../domain/identity/people.ts';

/** A person: a customer or an administrator. The row is made once the email address is proven, or by an invitation. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.uuid().$type<UserId>().primary().defaultRaw('uuidv7()'),
    email: p.text(),
    emailVerifiedAt: p.datetime(3).defaultRaw('now()'),
    phone: p.text().strictNullable(),
    phoneVerifiedAt: p.datetime(3).strictNullable(),
    passwordHash: p.text().strictNullable(),
    firstName: p.text(),
    lastName: p.text(),
    dateOfBirth: p.date().strictNullable(),
    country: p.text().strictNullable(),
    address: p.json().$type<PostalAddress>().strictNullable(),
    locale: p.text().default('en'),
    role: p.enum(USER_ROLES).default('customer'),
    status: p.enum(USER_STATUSES).default('active'),
    emailOtpEnabled: p.boolean().default(false),
    smsOtpEnabled: p.boolean().default(false),
    preferredMethod: p.enum(SECOND_FACTORS).default('email_otp'),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
    emailChangedAt: p.datetime(3).strictNullable(),
    kycLevel: p.smallint().default(0),
    kycStatus: p.enum(KYC_STATUSES).default('none'),
    searchText: p
      .text()
      .generated(`search_form(first_name || ' ' || last_name || ' ' || email || ' ' || coalesce(phone, ''))`)
      .lazy()
      .strictNullable(),
  },
});
export type User = InferEntity<typeof User>;

/** Somebody who registers, until the email address is proven; then the row becomes a user with the same id. */
export const Registration = defineEntity({
  name: 'Registration',
  tableName: 'registrations',
  properties: {
    id: p.uuid().$type<RegistrationId>().primary().defaultRaw('uuidv7()'),
    sealedApplicant: p.blob().$type<Buffer>(),
    phoneVerifiedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
  },
});
export type Registration = InferEntity<typeof Registration>;

/** An action that an administrator may perform. Only functions write it. */
export const UserPermission = defineEntity({
  name: 'UserPermission',
  tableName: 'user_permissions',
  properties: {
    userId: p.uuid().$type<UserId>().primary(),
    action: p.text().primary(),
    role: p.enum(['admin']).default('admin'),
    grantedBy: p.uuid().$type<UserId>().strictNullable(),
    grantedAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type UserPermission = InferEntity<typeof UserPermission>;

/**
 * One step in which somebody has made another person an administrator, or given them an action that decides. Only functions and
 * triggers write it. Until a third person has countersigned it, the two are one pair of eyes.
 */
export const Empowerment = defineEntity({
  name: 'Empowerment',
  tableName: 'empowerments',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    personId: p.uuid().$type<UserId>(),
    empoweredBy: p.uuid().$type<UserId>(),
    kind: p.enum(['created', 'promoted', 'granted']),
    action: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    countersignedBy: p.uuid().$type<UserId>().strictNullable(),
    countersignedAt: p.datetime(3).strictNullable(),
  },
});
export type Empowerment = InferEntity<typeof Empowerment>;

/** The invitation of an administrator who has not chosen a password yet; the newest one replaces those before. */
export const AdminInvitation = defineEntity({
  name: 'AdminInvitation',
  tableName: 'admin_invitations',
  properties: {
    userId: p.uuid().$type<UserId>().primary(),
    tokenHash: p.blob().$type<Buffer>(),
    invitedBy: p.uuid().$type<UserId>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
    acceptedAt: p.datetime(3).strictNullable(),
  },
});
export type AdminInvitation = InferEntity<typeof AdminInvitation>;

/** One login of one device, from password to logout. All refresh tokens of a session are its family. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.uuid().$type<SessionId>().primary().defaultRaw('uuidv7()'),
    userId: p.uuid().$type<UserId>(),
    deviceLabel: p.text().strictNullable(),
    userAgent: p.text().default(''),
    address: p.text(),
    amr: p.array().columnType('text[]').$type<readonly string[]>(),
    authenticatedAt: p.datetime(3).defaultRaw('now()'),
    provedAt: p.datetime(3).strictNullable(),
    factorAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    lastUsedAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
    endedAt: p.datetime(3).strictNullable(),
    endReason: p.enum(SESSION_END_REASONS).strictNullable(),
    deviceHash: p.blob().$type<Buffer>().strictNullable(),
    readingUntil: p.datetime(3).strictNullable(),
  },
});
export type Session = InferEntity<typeof Session>;

/** One token of a session, kept as its hash. A session has one token that has not been rotated. */
export const RefreshToken = defineEntity({
  name: 'RefreshToken',
  tableName: 'refresh_tokens',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    sessionId: p.uuid().$type<SessionId>(),
    tokenHash: p.blob().$type<Buffer>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
    rotatedAt: p.datetime(3).strictNullable(),
    sealedSuccessor: p.blob().$type<Buffer>().strictNullable(),
  },
});
export type RefreshToken = InferEntity<typeof RefreshToken>;

/** Something that waits for a code: a login, a step-up, a new address. At most five attempts. */
export const Challenge = defineEntity({
  name: 'Challenge',
  tableName: 'challenges',
  properties: {
    id: p.uuid().$type<ChallengeId>().primary().defaultRaw('uuidv7()'),
    purpose: p.enum(CHALLENGE_PURPOSES),
    subjectId: p.uuid(),
    method: p.enum(SECOND_FACTORS),
    codeMac: p.blob().$type<Buffer>().strictNullable(),
    sessionId: p.uuid().$type<SessionId>().strictNullable(),
    operation: p.text().strictNullable(),
    deviceLabel: p.text().strictNullable(),
    attempts: p.smallint().default(0),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
    consumedAt: p.datetime(3).strictNullable(),
    resends: p.smallint().default(0),
    sentAt: p.datetime(3).defaultRaw('now()'),
    deviceHash: p.blob().$type<Buffer>().strictNullable(),
    requestHash: p.text().strictNullable(),
    approval: p.text().strictNullable(),
  },
});
export type Challenge = InferEntity<typeof Challenge>;

/** As `CodeGuess`, but wherever from: what the release before counts. */
export const CodeFailure = defineEntity({
  name: 'CodeFailure',
  tableName: 'code_failures',
  properties: {
    userId: p.uuid().$type<UserId>().primary(),
    purpose: p.text().$type<ChallengePurpose | 'factor'>().primary(),
    failures: p.integer(),
    since: p.datetime(3).defaultRaw('now()'),
  },
});
export type CodeFailure = InferEntity<typeof CodeFailure>;

/**
 * Wrong codes of a user in the hour from `since` on, for each purpose and place apart. `factor`: outside a challenge, when factors
 * change.
 */
export const CodeGuess = defineEntity({
  name: 'CodeGuess',
  tableName: 'code_guesses',
  properties: {
    userId: p.uuid().$type<UserId>().primary(),
    purpose: p.text().$type<ChallengePurpose | 'factor'>().primary(),
    place: p.text().primary(),
    failures: p.integer(),
    since: p.datetime(3).defaultRaw('now()'),
    provenAt: p.datetime(3).strictNullable(),
  },
});
export type CodeGuess = InferEntity<typeof CodeGuess>;

/** A new email address or phone number that waits to be proven. It is sealed, because it may be somebody else’s. */
export const ContactChange = defineEntity({
  name: 'ContactChange',
  tableName: 'contact_changes',
  properties: {
    id: p.uuid().$type<ContactChangeId>().primary().defaultRaw('uuidv7()'),
    userId: p.uuid().$type<UserId>(),
    kind: p.enum(CONTACT_KINDS),
    sealedValue: p.blob().$type<Buffer>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
  },
});
export type ContactChange = InferEntity<typeof ContactChange>;

/** The authenticator app of a user. `confirmedAt` is null until the first code has been accepted. */
export const TotpFactor = defineEntity({
  name: 'TotpFactor',
  tableName: 'totp_factors',
  properties: {
    userId: p.uuid().$type<UserId>().primary(),
    sealedSecret: p.blob().$type<Buffer>(),
    confirmedAt: p.datetime(3).strictNullable(),
    lastStep: p.bigint().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});
export type TotpFactor = InferEntity<typeof TotpFactor>;

/** A code that replaces a second factor once, kept as its keyed hash. */
export const RecoveryCode = defineEntity({
  name: 'RecoveryCode',
  tableName: 'recovery_codes',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    userId: p.uuid().$type<UserId>(),
    codeMac: p.blob().$type<Buffer>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    usedAt: p.datetime(3).strictNullable(),
  },
});
export type RecoveryCode = InferEntity<typeof RecoveryCode>;

/** A step-up token that has been spent, written in the transaction of what it permitted. */
export const StepUpUse = defineEntity({
  name: 'StepUpUse',
  tableName: 'step_up_uses',
  properties: {
    stepUpId: p.uuid().primary(),
    resourceId: p.uuid(),
    usedAt: p.datetime(3).defaultRaw('now()'),
  },
});
export type StepUpUse = InferEntity<typeof StepUpUse>;

/** A key that signs access tokens. `kid` is its RFC 7638 thumbprint. */
export const SigningKey = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_keys',
  properties: {
    kid: p.text().primary(),
    state: p.enum(['next', 'current', 'retiring']),
    publicJwk: p.json().$type<unknown>(),
    sealedPrivateJwk: p.blob().$type<Buffer>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    retiresAt: p.datetime(3).strictNullable(),
    signingSince: p.datetime(3).strictNullable(),
  },
});
export type SigningKey = InferEntity<typeof SigningKey>;
