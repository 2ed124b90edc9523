/** What a person is called and how they prove themselves; the words that tables, tokens and wire share. */

export const USER_ROLES = ['customer', 'admin'] as const;
export type UserRole = (typeof USER_ROLES)[number];

/** `pending`: invited, has no password yet. A blocked user is refused at once, whatever tokens are out. */
export const USER_STATUSES = ['pending', 'active', 'blocked'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

/** How far a customer's identity is known; `skipped` where the account types in use ask for none. */
export const KYC_STATUSES = [
  'none',
  'draft',
  'submitted',
  'in_review',
  'changes_requested',
  'approved',
  'rejected',
  'skipped',
  'expired',
  'withdrawn',
] as const;
export type KycStatus = (typeof KYC_STATUSES)[number];

/** Ways to prove more than the password. */
export const SECOND_FACTORS = ['totp', 'email_otp', 'sms_otp'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];

/** What a code can be asked for. */
export const CHALLENGE_PURPOSES = [
  'verify_email',
  'verify_phone',
  'login',
  'step_up',
  'reset_password',
  'change_email',
  'change_phone',
] as const;
export type ChallengePurpose = (typeof CHALLENGE_PURPOSES)[number];

/** What a person is written to at. */
export const CONTACT_KINDS = ['email', 'phone'] as const;
export type ContactKind = (typeof CONTACT_KINDS)[number];

/** Why a session has ended. */
export const SESSION_END_REASONS = [
  'logout',
  'refresh_reuse',
  'password_changed',
  'user_blocked',
  'ended_by_user',
  'role_changed',
] as const;
export type SessionEndReason = (typeof SESSION_END_REASONS)[number];

/** Factors whose code this service sends. */
export type SentFactor = Exclude<SecondFactor, 'totp'>;

/** Methods of an authentication in `amr`: RFC 8176 where it has a word (`pwd`, `otp`, `sms`), `email` where it has none. */
export type AuthenticationMethod = 'pwd' | 'otp' | 'sms' | 'email';

export const methodOf: Readonly<Record<SecondFactor, AuthenticationMethod>> = {
  totp: 'otp',
  email_otp: 'email',
  sms_otp: 'sms',
};

/** As written on an envelope. */
export interface PostalAddress {
  readonly line1: string;
  /** Absent and null mean the same: there is none. */
  readonly line2?: string | null | undefined;
  readonly postal_code: string;
  readonly city: string;
  readonly region?: string | null | undefined;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

/** The age from which somebody can open accounts and make contracts on their own. */
export const FULL_AGE = 18;

/** Whether somebody born on this day (`YYYY-MM-DD`) is of age. Whoever was born on 29 February is on 1 March, unless the year has a 29th. */
export function isOfAge(born: string, now: Date): boolean {
  const [year = '', ...rest] = born.split('-');
  return [String(Number(year) + FULL_AGE), ...rest].join('-') <= now.toISOString().slice(0, 10);
}
