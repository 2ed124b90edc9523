/** One's own sessions, and changing address and number, on the wire. */
import { z } from 'zod';
import { ChallengeId, SessionId } from '../../../domain/ids.ts';
import { keysetById } from '../../wire/cursor.ts';
import { named } from '../../wire/naming.ts';
import { listOf, Timestamp } from '../../wire/shapes.ts';
import { Email, EXAMPLE_ID, Phone } from './schemas.ts';

const EXAMPLE_TIME = '2026-03-01T09:30:00.000Z';

export const Session = named(
  'Session',
  z.strictObject({
    id: SessionId,
    device_label: z.string().nullable().describe('What the user called the device at login.'),
    user_agent: z.string().describe('What the device said of itself at login.'),
    address: z.string().describe('Where the login came from.'),
    current: z.boolean().describe('The session of this call.'),
    created_at: Timestamp,
    last_used_at: Timestamp.describe(
      'When its tokens were last refreshed, or process histories were read in it.',
    ),
    expires_at: Timestamp.describe('When it ends in any case.'),
  }),
  {
    id: EXAMPLE_ID,
    device_label: 'Ann’s phone',
    user_agent: 'Teller/2.1 (iOS 26)',
    address: '203.0.113.7',
    current: true,
    created_at: EXAMPLE_TIME,
    last_used_at: EXAMPLE_TIME,
    expires_at: EXAMPLE_TIME,
  },
);

export const SessionList = listOf('SessionList', Session);

/** Newest first. */
export const sessionPages = keysetById('sessions', SessionId);

export const EmailChange = named('EmailChange', z.strictObject({ email: Email }), {
  email: 'ann.smith@example.com',
});

export const PhoneChange = named('PhoneChange', z.strictObject({ phone: Phone }), { phone: '+4930901820' });

export const ContactChangeResponse = named(
  'ContactChangeResponse',
  z.strictObject({
    verification_id: ChallengeId.describe('Send it with the code.'),
    expires_at: Timestamp.describe('Until when the code is taken.'),
  }),
  { verification_id: EXAMPLE_ID, expires_at: EXAMPLE_TIME },
);
