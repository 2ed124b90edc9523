/** A person on the wire: profile, address, second factors. */
import { z } from 'zod';
import { normaliseEmail, normalisePhone } from '../../../domain/identity/contact.ts';
import { isCountry } from '../../../domain/standards/countries.ts';
import { UserId } from '../../../domain/ids.ts';
import {
  FULL_AGE,
  isOfAge,
  SECOND_FACTORS,
  USER_ROLES,
  USER_STATUSES,
} from '../../../domain/identity/people.ts';
import { now } from '../../../domain/time/now.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from '../../../services/identity/passwords/password-policy.ts';
import { named } from '../../wire/naming.ts';
import { Line, PersonName } from '../../wire/text.ts';
import { Timestamp } from '../../wire/shapes.ts';

export const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const EARLIEST_BIRTH = '1900-01-01';

export const Country = z
  .string()
  .refine(isCountry, { message: 'must be a country code, such as "DE"' })
  .describe('ISO 3166-1 alpha-2.');

export const BirthDate = z.iso
  .date()
  .refine((date) => date >= EARLIEST_BIRTH && date < now().toISOString().slice(0, 10), {
    message: 'must be a day in the past, from 1900 on',
    abort: true,
  })
  .refine((date) => isOfAge(date, now()), {
    message: `is of somebody younger than ${FULL_AGE} years`,
    params: { code: 'underage' },
  })
  .describe(`ISO 8601. Customers are at least ${FULL_AGE} years old.`);

export const Locale = z
  .string()
  .min(2)
  .max(35)
  .transform((tag, context) => {
    const [canonical] = canonicalLocales(tag);
    if (canonical !== undefined) return canonical;
    context.issues.push({
      code: 'custom',
      message: 'must be a BCP 47 language tag, such as "en-GB"',
      input: tag,
    });
    return z.NEVER;
  })
  .describe('BCP 47; the language of messages.');

export const Email = z
  .string()
  .min(3)
  .max(254)
  .meta({ format: 'email' })
  .transform((text, context) => {
    const address = normaliseEmail(text);
    if (address !== undefined) return address;
    context.issues.push({ code: 'custom', message: 'must be an email address', input: text });
    return z.NEVER;
  })
  .describe('Kept in small letters.');

export const Phone = z
  .string()
  .max(40)
  .transform((text, context) => {
    const number = normalisePhone(text);
    if (number !== undefined) return number;
    context.issues.push({
      code: 'custom',
      message: 'must be a phone number such as "+49 30 901820"',
      input: text,
    });
    return z.NEVER;
  })
  .describe('In international form; kept as E.164.');

/** A password to be set. Its length counts code points, as JSON Schema does; it is used exactly as sent. */
export const NewPassword = z
  .string()
  .refine((text) => hasLength(text, PASSWORD_MIN, PASSWORD_MAX), {
    message: `must have ${String(PASSWORD_MIN)} to ${String(PASSWORD_MAX)} characters`,
  })
  .meta({ format: 'password', minLength: PASSWORD_MIN, maxLength: PASSWORD_MAX })
  .describe('12 to 128 characters of any kind; common ones and your own data are refused.');

/** A password to be checked: whatever was allowed once. */
export const GivenPassword = z.string().min(1).max(512).meta({ format: 'password' });

export const Address = named(
  'Address',
  z.strictObject({
    line1: Line(120),
    line2: Line(120).nullable().optional(),
    postal_code: Line(20),
    city: Line(100),
    region: Line(100).nullable().optional(),
    country: Country,
  }),
  {
    line1: 'Platz der Republik 1',
    line2: null,
    postal_code: '11011',
    city: 'Berlin',
    region: null,
    country: 'DE',
  },
);

const profile = {
  id: UserId,
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  role: z.enum(USER_ROLES),
  status: z.enum(USER_STATUSES),
};
const profileExample = {
  id: EXAMPLE_ID,
  email: 'ann@example.com',
  first_name: 'Ann',
  last_name: 'Smith',
  role: 'customer' as const,
  status: 'active' as const,
};

/** A person in short. */
export const UserProfile = named('UserProfile', z.strictObject(profile), profileExample);

export const UserProfileDetails = named(
  'UserProfileDetails',
  z.strictObject({
    ...profile,
    email_verified: z.boolean(),
    phone: z.string().nullable().describe('E.164.'),
    phone_verified: z.boolean(),
    date_of_birth: z.iso.date().nullable(),
    country: z.string().nullable().describe('Of residence, ISO 3166-1 alpha-2.'),
    address: Address.nullable(),
    locale: z.string().describe('BCP 47.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  {
    ...profileExample,
    email_verified: true,
    phone: '+4930901820',
    phone_verified: false,
    date_of_birth: '1990-04-02',
    country: 'DE',
    address: null,
    locale: 'en',
    created_at: '2026-03-01T09:30:00.000Z',
    updated_at: '2026-03-01T09:30:00.000Z',
  },
);

export const UserProfileUpdate = named(
  'UserProfileUpdate',
  z.strictObject({
    first_name: PersonName.optional(),
    last_name: PersonName.optional(),
    date_of_birth: BirthDate.optional(),
    country: Country.optional(),
    address: Address.nullable().optional(),
    locale: Locale.optional(),
  }),
  { first_name: 'Ann', locale: 'de-DE' },
);

export const PasswordChange = named(
  'PasswordChange',
  z.strictObject({ current_password: GivenPassword, new_password: NewPassword }),
  { current_password: 'seven quiet otters', new_password: 'nine loud herons by a pond' },
);

export const MFASettings = named(
  'MFASettings',
  z.strictObject({
    totp_enabled: z.boolean().describe('TOTP is active.'),
    totp_pending: z.boolean().describe('TOTP setup has begun and awaits confirmation.'),
    email_otp_enabled: z.boolean().describe('Codes by email at login.'),
    sms_otp_enabled: z.boolean().describe('Codes by text message at login.'),
    preferred_method: z.enum(SECOND_FACTORS).describe('Asked for first.'),
  }),
  {
    totp_enabled: true,
    totp_pending: false,
    email_otp_enabled: false,
    sms_otp_enabled: false,
    preferred_method: 'totp',
  },
);

export const MFAUpdate = named(
  'MFAUpdate',
  z.strictObject({
    email_otp_enabled: z.boolean().optional(),
    sms_otp_enabled: z.boolean().optional(),
    preferred_method: z.enum(SECOND_FACTORS).optional(),
  }),
  { email_otp_enabled: true, preferred_method: 'email_otp' },
);

export const TOTPSetupResponse = named(
  'TOTPSetupResponse',
  z.strictObject({
    secret: z.string().describe('Base 32, to be typed into an authenticator app.'),
    otpauth_uri: z.string().describe('The same as a link; show it as a QR code.'),
    recovery_codes: z
      .array(z.string())
      .describe(
        'Ten codes for a lost authenticator, each used once. Shown here only; they work once TOTP is confirmed.',
      ),
  }),
  {
    secret: 'RJGMNZYAMKLHPIHKOVYKNY3ORIURT6UR',
    otpauth_uri:
      'otpauth://totp/Teller:ann%40example.com?secret=RJGMNZYAMKLHPIHKOVYKNY3ORIURT6UR&issuer=Teller',
    recovery_codes: ['7QK2ZD-0W9XEM-4TB5RC-HN8VGA'],
  },
);

/** Six digits from an authenticator, or a recovery code in its place. */
export const FactorCode = z
  .string()
  .min(6)
  .max(40)
  .regex(/^[0-9A-Za-z -]*$/, 'must be a code');

export const CodeRequest = named('CodeRequest', z.strictObject({ code: FactorCode }), { code: '123456' });

function hasLength(text: string, min: number, max: number): boolean {
  // a code point is one or two UTF-16 units, so a far too long text need not be walked
  if (text.length > 2 * max) return false;
  const { length } = [...text];
  return length >= min && length <= max;
}

function canonicalLocales(tag: string): readonly string[] {
  try {
    return Intl.getCanonicalLocales(tag);
  } catch {
    return [];
  }
}
