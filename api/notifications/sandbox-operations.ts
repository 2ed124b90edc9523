/** An operation that only development has: it makes an event, as its cause would. */
import { z } from 'zod';
import { customerToTell } from '../../db/queries/notifications/evidence.ts';
import { notificationType } from '../../db/queries/notifications/types.ts';
import { EventId, UserId } from '../../domain/ids.ts';
import { faultIn } from '../../domain/refusals.ts';
import { tell } from '../../services/notifications/events.ts';
import { forAnybody } from '../declaration/operation.ts';
import { named } from '../wire/naming.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

const SandboxEvent = named(
  'SandboxEvent',
  z.strictObject({
    event_id: EventId.describe('An event counts once, however often it is made.'),
    type: z.string().max(64),
    user_id: UserId,
    variables: z.record(z.string().max(64), z.string().max(5_000)),
  }),
  { event_id: EXAMPLE_ID, type: 'ticket_reply', user_id: EXAMPLE_ID, variables: { number: 'T-100001' } },
);
const SandboxEventMade = named(
  'SandboxEventMade',
  z.strictObject({ written: z.boolean().describe('False if the event was made before.') }),
  { written: true },
);

export const makeSandboxEvent = forAnybody({
  id: 'makeSandboxEvent',
  area: 'Sandbox',
  title: 'Make an event',
  description: 'Tells a person of an event with these values, as its cause would.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/sandbox/events',
  effect: 'transaction',
  body: SandboxEvent,
  status: 200,
  answer: SandboxEventMade,
  refuses: [],
  beyond: true,
  async handle({ body, db }, { cipher }) {
    const { event_id: eventId, type, user_id: userId, variables: values } = body;
    const person = await customerToTell.first(db, { id: userId });
    if (person === undefined) throw faultIn('/user_id', 'not_found', 'is not a user');
    const known = await notificationType.first(db, { code: type });
    if (known === undefined) throw faultIn('/type', 'not_found', 'is not a type of notifications');
    const { locale } = person;
    return { written: await tell(db, cipher, { eventId, userId, type, locale, values }) };
  },
});
