/** Changing one's email address or phone number: asked for with a step-up, done once the new one is proven. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { User } from '../../../db/schema/identity.ts';
import { factorsOf, lockFactors, type Factors } from '../../../db/queries/identity/factors/factors.ts';
import type { UserId } from '../../../domain/ids.ts';
import type { ContactKind } from '../../../domain/identity/people.ts';
import { faultIn, Refusal } from '../../../domain/refusals.ts';
import { tooManyGuesses } from '../../../services/identity/factors/challenges.ts';
import {
  completeContactChange,
  openContactChange,
} from '../../../services/identity/people/contact-changes.ts';
import { noteEvent, noteFailure } from '../../../services/identity/events.ts';
import { limitChanges } from '../../../services/identity/factors/resend.ts';
import { forUsers } from '../../declaration/operation.ts';
import type { Context } from '../../declaration/request.ts';
import type { Admin, User as Customer } from '../../../services/callers.ts';
import type { Services } from '../../../services/services.ts';
import { VerifyRequest } from '../auth/schemas.ts';
import * as wire from './contact-schemas.ts';
import { UserProfileDetails } from './schemas.ts';
import { profileView } from './views.ts';
import { transaction } from '../../../db/transaction.ts';

const TAKEN =
  'The answer is the same where the new one belongs to another login; its owner learns that it was wanted.';

export const changeEmail = forUsers({
  id: 'changeEmail',
  area: 'Identity',
  title: 'Change email address',
  description: `Asks for another email address. Sends a code to the new address, which takes the place of the old one once it is proven. ${TAKEN}`,
  method: 'POST',
  idempotency: 'none',
  path: '/v1/users/me/email',
  beyond: true,
  stepUp: true,
  // the count of sent codes is kept apart from the transaction
  effect: 'own_transactions',
  body: wire.EmailChange,
  status: 200,
  answer: wire.ContactChangeResponse,
  refuses: ['too_many_requests'],
  handle: (request, services) => ask(request, services, 'email', request.body.email),
});

export const verifyEmailChange = forUsers({
  id: 'verifyEmailChange',
  area: 'Identity',
  title: 'Verify the new email address',
  description:
    'Proves the new email address; it takes the place of the old one. Tells the old address. Logins and step-ups that wait for a code end.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/users/me/email/verify',
  effect: 'transaction',
  beyond: true,
  body: VerifyRequest,
  status: 200,
  answer: UserProfileDetails,
  refuses: ['invalid_code', 'too_many_requests', 'conflict'],
  handle: (request, services) => verify(request, services, 'email'),
});

export const changePhone = forUsers({
  id: 'changePhone',
  area: 'Identity',
  title: 'Set or change phone number',
  description: `Asks for another phone number, or for the first. Sends a code to the number, which counts once it is proven. Also for a number given at registration and not proven since. ${TAKEN}`,
  method: 'POST',
  idempotency: 'none',
  path: '/v1/users/me/phone',
  beyond: true,
  stepUp: true,
  effect: 'own_transactions',
  body: wire.PhoneChange,
  status: 200,
  answer: wire.ContactChangeResponse,
  refuses: ['too_many_requests'],
  handle: (request, services) => ask(request, services, 'phone', request.body.phone),
});

export const verifyPhoneChange = forUsers({
  id: 'verifyPhoneChange',
  area: 'Identity',
  title: 'Verify the new phone number',
  description:
    'Proves the phone number; it takes the place of the old one. Tells the old number and the email address. Logins and step-ups that wait for a code end.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/users/me/phone/verify',
  effect: 'transaction',
  beyond: true,
  body: VerifyRequest,
  status: 200,
  answer: UserProfileDetails,
  refuses: ['invalid_code', 'too_many_requests', 'conflict'],
  handle: (request, services) => verify(request, services, 'phone'),
});

type Caller = Customer | Admin;
type Asked = Pick<Context<Caller>, 'caller' | 'client' | 'requestId' | 'db' | 'newId'>;
type Proof = Asked & { readonly body: z.output<typeof VerifyRequest> };

async function ask(request: Asked, { cipher, throttles }: Services, kind: ContactKind, value: string) {
  const { caller, client, requestId, db, newId } = request;
  const person = await known(factorsOf.first(db, { userId: caller.id }));
  const unchanged = value === (kind === 'email' ? person.email : person.phone);
  if (unchanged) throw sameAsBefore(kind);
  await limitChanges(throttles, caller.id);
  return transaction(db, async (em) => {
    const opened = await openContactChange(em, cipher, { id: newId, person, kind, value });
    const after = { kind };
    await noteEvent(em, { client, requestId }, 'contact.change_asked', caller, { after });
    return { verification_id: opened.id, expires_at: opened.expiresAt.toISOString() };
  });
}

async function verify(
  { caller, body, client, requestId, db }: Proof,
  { cipher }: Services,
  kind: ContactKind,
) {
  const origin = { client, requestId };
  // changes of one person's factors and addresses follow one another
  const person = await known(lockFactors(db, caller.id, caller.sessionId));
  const { verification_id: id, code } = body;
  const outcome = await completeContactChange(db, cipher, { id, code, person, kind });
  switch (outcome) {
    case 'wrong':
      await noteFailure(db, origin, 'code.failed', { type: 'user', id: caller.id });
      return new Refusal('invalid_code');
    case 'exhausted':
      await noteFailure(db, origin, 'code.failed', { type: 'user', id: caller.id });
      return tooManyGuesses();
    case 'taken':
      return new Refusal('conflict', { detail: 'It belongs to another login.' });
    case 'changed': {
      const user = await userOf(db, caller.id);
      // a login that was taken over is given back by what it was before
      if (kind === 'email') {
        const change = { before: { email: person.email }, after: { email: user.email } };
        await noteEvent(db, origin, 'email.changed', caller, change);
      } else {
        const change = { before: { phone: person.phone }, after: { phone: user.phone } };
        await noteEvent(db, origin, 'phone.changed', caller, change);
      }
      return profileView(user);
    }
  }
}

async function known(found: Promise<Factors | undefined>): Promise<Factors> {
  const person = await found;
  // the call was let in, and the user blocked or the session ended since
  if (person === undefined) throw new Refusal('unauthenticated');
  return person;
}

async function userOf(db: EntityManager, id: UserId): Promise<User> {
  const user = await db.findOne(User, id);
  if (user === null) throw new Refusal('not_found');
  return user;
}

function sameAsBefore(kind: ContactKind): Refusal {
  return faultIn(`/${kind}`, 'unchanged', 'is the present one');
}

/** In the order of the documentation. */
export const operations = [changeEmail, verifyEmailChange, changePhone, verifyPhoneChange];
