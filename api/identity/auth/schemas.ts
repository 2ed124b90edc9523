/** Registration, login, tokens and step-up on the wire. */
import { z } from 'zod';
import { ChallengeId } from '../../../domain/ids.ts';
import { SECOND_FACTORS } from '../../../domain/identity/people.ts';
import { named } from '../../wire/naming.ts';
import {
  Address,
  BirthDate,
  Country,
  Email,
  EXAMPLE_ID,
  FactorCode,
  GivenPassword,
  Locale,
  NewPassword,
  Phone,
} from '../users/schemas.ts';
import { Line, PersonName } from '../../wire/text.ts';
import { Money, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_ACCESS_TOKEN = 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl';
const EXAMPLE_REFRESH_TOKEN = '9b0Xw7kq2mJt4yVn1cLsR8dZpAeHuGfTiQoKxEzBvMs';
const EXAMPLE_TIME = '2026-03-01T09:30:00.000Z';

export const RegisterRequest = named(
  'RegisterRequest',
  z.strictObject({
    email: Email,
    password: NewPassword,
    phone: Phone.optional(),
    first_name: PersonName,
    last_name: PersonName,
    date_of_birth: BirthDate,
    country: Country.describe('Of residence, ISO 3166-1 alpha-2.'),
    address: Address.optional(),
    locale: Locale.optional(),
  }),
  {
    email: 'ann@example.com',
    password: 'seven quiet otters',
    first_name: 'Ann',
    last_name: 'Smith',
    date_of_birth: '1990-04-02',
    country: 'DE',
    locale: 'en',
  },
);

export const RegisterResponse = named(
  'RegisterResponse',
  z.strictObject({
    verification_id: ChallengeId.describe('Send it with the code from the email.'),
    phone_verification_id: ChallengeId.nullable().describe(
      'The same for the text message; null without a phone.',
    ),
    expires_at: Timestamp.describe('Until when the codes are taken.'),
  }),
  { verification_id: EXAMPLE_ID, phone_verification_id: null, expires_at: EXAMPLE_TIME },
);

export const VerifyRequest = named(
  'VerifyRequest',
  z.strictObject({
    verification_id: ChallengeId,
    code: z.string().regex(/^\d{6}$/, 'must be six digits'),
  }),
  { verification_id: EXAMPLE_ID, code: '012345' },
);

export const LoginRequest = named(
  'LoginRequest',
  z.strictObject({
    identifier: z.string().min(3).max(254).describe('Email address, or verified phone number with +.'),
    password: GivenPassword,
    device_label: Line(100).optional().describe('What the user calls this device.'),
    device_token: z
      .string()
      .min(20)
      .max(200)
      .optional()
      .describe(
        'What the first login from this device answered. Without it the user is told of a new device.',
      ),
    method: z
      .enum(SECOND_FACTORS)
      .optional()
      .describe('Second factor to use where several are on; default the preferred one.'),
  }),
  { identifier: 'ann@example.com', password: 'seven quiet otters', device_label: 'Ann’s phone' },
);

const tokens = {
  access_token: z.string().describe('JWT for the Authorization header.'),
  token_type: z.literal('Bearer'),
  expires_in: z.int().describe('Seconds the access token lives.'),
  refresh_token: z.string().describe('For POST /v1/auth/refresh; a new one comes with each use.'),
  refresh_expires_at: Timestamp.describe('When the refresh token dies unused.'),
  device_token: z
    .string()
    .optional()
    .describe('After the first login from a device: keep it there, and send it with each later login.'),
};
const tokensExample = {
  access_token: EXAMPLE_ACCESS_TOKEN,
  token_type: 'Bearer' as const,
  expires_in: 600,
  refresh_token: EXAMPLE_REFRESH_TOKEN,
  refresh_expires_at: EXAMPLE_TIME,
};

export const TokenResponse = named('TokenResponse', z.strictObject(tokens), tokensExample);

/** Tokens, or the second factor that is missing for them. */
export const LoginResponse = named(
  'LoginResponse',
  z.union([
    z.strictObject({ mfa_required: z.literal(false), ...tokens }),
    z.strictObject({
      mfa_required: z.literal(true),
      challenge_id: ChallengeId.describe('Send it with the code to POST /v1/auth/login/mfa.'),
      method: z.enum(SECOND_FACTORS).describe('The factor asked for; a code was sent where it is sent.'),
      methods: z.array(z.enum(SECOND_FACTORS)).describe('The factors that are on.'),
      expires_at: Timestamp,
    }),
  ]),
  { mfa_required: false, ...tokensExample },
);

export const MFAVerifyRequest = named(
  'MFAVerifyRequest',
  z.strictObject({
    challenge_id: ChallengeId,
    code: FactorCode,
    method: z
      .enum([...SECOND_FACTORS, 'recovery_code'])
      .optional()
      .describe('Where the code comes from; default the challenge’s method.'),
  }),
  { challenge_id: EXAMPLE_ID, code: '012345' },
);

export const RefreshRequest = named(
  'RefreshRequest',
  z.strictObject({ refresh_token: z.string().min(20).max(200) }),
  { refresh_token: EXAMPLE_REFRESH_TOKEN },
);

export const StepUpInitRequest = named(
  'StepUpInitRequest',
  z.strictObject({
    operation: z.string().min(1).max(100).describe('operationId of what you are about to do.'),
    method: z
      .enum(SECOND_FACTORS)
      .optional()
      .describe('Default: the preferred one among those strong enough.'),
    request: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'The body that the operation is going to be called with. Required if the operation moves money out, refused otherwise.',
      ),
  }),
  { operation: 'openAccount' },
);

const Approves = z
  .strictObject({
    amount: Money.describe(
      'What leaves the account, before fees; of a scheduled transfer what the plan fixes.',
    ),
    target_amount: Money.nullable().describe('What arrives; null unless it is converted.'),
    payee: z.string().describe('The payee as the request names them.'),
    text: z
      .string()
      .describe('Amount and payee in the caller’s language, as the message with the code says it.'),
  })
  .nullable();

export const StepUpInitResponse = named(
  'StepUpInitResponse',
  z.strictObject({
    challenge_id: ChallengeId,
    method: z.enum(SECOND_FACTORS),
    expires_at: Timestamp,
    approves: Approves.describe(
      'What the code confirms. Show it to the user. Null if the operation moves no money out.',
    ),
  }),
  {
    challenge_id: EXAMPLE_ID,
    method: 'email_otp',
    expires_at: EXAMPLE_TIME,
    approves: {
      amount: { amount: '12.34', currency: 'EUR' },
      target_amount: null,
      payee: '100000000287',
      text: '12.34 EUR to 100000000287',
    },
  },
);

export const StepUpVerifyRequest = named(
  'StepUpVerifyRequest',
  z.strictObject({ challenge_id: ChallengeId, code: FactorCode }),
  { challenge_id: EXAMPLE_ID, code: '012345' },
);

export const StepUpVerifyResponse = named(
  'StepUpVerifyResponse',
  z.strictObject({
    step_up_token: z.string().describe('Send it as X-Step-Up-Token, once.'),
    expires_at: Timestamp,
  }),
  { step_up_token: EXAMPLE_ACCESS_TOKEN, expires_at: EXAMPLE_TIME },
);

export const JWKSResponse = named(
  'JWKSResponse',
  z.strictObject({
    keys: z.array(
      z.strictObject({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        x: z.string(),
        y: z.string(),
        kid: z.string(),
        alg: z.literal('ES256'),
        use: z.literal('sig'),
      }),
    ),
  }),
  {
    keys: [
      {
        kty: 'EC',
        crv: 'P-256',
        x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
        y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
        kid: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
        alg: 'ES256',
        use: 'sig',
      },
    ],
  },
);
