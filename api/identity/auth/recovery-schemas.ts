/** Sending a code again, and a forgotten password, on the wire. */
import { z } from 'zod';
import { ChallengeId } from '../../../domain/ids.ts';
import { RESET_CODE_DIGITS } from '../../../services/identity/factors/codes.ts';
import { named } from '../../wire/naming.ts';
import { Email, EXAMPLE_ID, NewPassword } from '../users/schemas.ts';
import { Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_TIME = '2026-03-01T09:30:00.000Z';

export const CodeResendRequest = named(
  'CodeResendRequest',
  z.strictObject({
    challenge_id: ChallengeId.describe(
      'Of the login or step-up; or the verification of an address or number.',
    ),
  }),
  { challenge_id: EXAMPLE_ID },
);

export const CodeResendResponse = named(
  'CodeResendResponse',
  z.strictObject({
    expires_at: Timestamp.describe('Until when the new code is taken.'),
    resends_left: z.int().min(0).describe('How often a code can still be sent for this challenge.'),
  }),
  { expires_at: EXAMPLE_TIME, resends_left: 2 },
);

export const PasswordResetRequest = named('PasswordResetRequest', z.strictObject({ email: Email }), {
  email: 'ann@example.com',
});

export const PasswordResetResponse = named(
  'PasswordResetResponse',
  z.strictObject({
    reset_id: ChallengeId.describe('Send it with the code from the email.'),
    expires_at: Timestamp.describe('Until when the code is taken.'),
  }),
  { reset_id: EXAMPLE_ID, expires_at: EXAMPLE_TIME },
);

export const PasswordReset = named(
  'PasswordReset',
  z.strictObject({
    reset_id: ChallengeId,
    code: z.string().regex(new RegExp(`^\\d{${String(RESET_CODE_DIGITS)}}$`), 'must be eight digits'),
    new_password: NewPassword,
  }),
  { reset_id: EXAMPLE_ID, code: '01234567', new_password: 'nine loud herons by a pond' },
);
