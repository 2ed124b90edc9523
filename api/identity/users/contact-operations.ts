/** Changing one's email address or phone number: asked for with a step-up, done once the new one is proven. */
import { isRefusal } from '../../../domain/refusals.ts';
import { askForContact, proveContact } from '../../../services/identity/people/own-contact.ts';
import { forUsers } from '../../declaration/operation.ts';
import { VerifyRequest } from '../auth/schemas.ts';
import * as wire from './contact-schemas.ts';
import { UserProfileDetails } from './schemas.ts';
import { profileView } from './views.ts';

const TAKEN =
  'The answer is the same if the new one belongs to another login; its owner learns that it was wanted.';

export const changeEmail = forUsers({
  id: 'changeEmail',
  area: 'Identity',
  title: 'Change email address',
  description: `Sends a code to the new address, which replaces the old one once it is proven. The present address is refused as unchanged, unless mail to it came back and nothing but codes is sent there any more: once it is proven again, mail goes there. ${TAKEN}`,
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
  async handle(request, services) {
    const wish = { id: request.newId, kind: 'email', value: request.body.email } as const;
    const { id, expiresAt } = await askForContact(request, services, wish);
    return { verification_id: id, expires_at: expiresAt };
  },
});

export const verifyEmailChange = forUsers({
  id: 'verifyEmailChange',
  area: 'Identity',
  title: 'Verify the new email address',
  description:
    'Proves the new email address, which replaces the old one; a message to the old address says so. If mail to the address came back before, it goes there again. Logins and step-ups that wait for a code end.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/users/me/email/verify',
  effect: 'transaction',
  beyond: true,
  body: VerifyRequest,
  status: 200,
  answer: UserProfileDetails,
  refuses: ['invalid_code', 'too_many_requests', 'conflict'],
  async handle(request, services) {
    const { verification_id: id, code } = request.body;
    const user = await proveContact(request, services, { id, code, kind: 'email' });
    return isRefusal(user) ? user : profileView(user);
  },
});

export const changePhone = forUsers({
  id: 'changePhone',
  area: 'Identity',
  title: 'Set or change phone number',
  description: `Sends a code to the new number, which counts once it is proven. Use it for the first number, for another one, and for one that was given at registration and not proven since. ${TAKEN}`,
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
  async handle(request, services) {
    const wish = { id: request.newId, kind: 'phone', value: request.body.phone } as const;
    const { id, expiresAt } = await askForContact(request, services, wish);
    return { verification_id: id, expires_at: expiresAt };
  },
});

export const verifyPhoneChange = forUsers({
  id: 'verifyPhoneChange',
  area: 'Identity',
  title: 'Verify the new phone number',
  description:
    'Proves the phone number, which replaces the old one; messages to the old number and to the email address say so. Logins and step-ups that wait for a code end.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/users/me/phone/verify',
  effect: 'transaction',
  beyond: true,
  body: VerifyRequest,
  status: 200,
  answer: UserProfileDetails,
  refuses: ['invalid_code', 'too_many_requests', 'conflict'],
  async handle(request, services) {
    const { verification_id: id, code } = request.body;
    const user = await proveContact(request, services, { id, code, kind: 'phone' });
    return isRefusal(user) ? user : profileView(user);
  },
});

/** In the order of the documentation. */
export const operations = [changeEmail, verifyEmailChange, changePhone, verifyPhoneChange];
