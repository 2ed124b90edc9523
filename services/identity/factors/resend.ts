/** Sending a code again: another code goes out for the same challenge, and the one before stops working. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import {
  renewCode,
  resendable,
  type Challenge,
  type RenewedCode,
} from '../../../db/queries/identity/factors/challenges.ts';
import { contactChange } from '../../../db/queries/identity/people/contact-changes.ts';
import { factorsOf } from '../../../db/queries/identity/factors/factors.ts';
import { unprovenPhone } from '../../../db/queries/identity/people/phones.ts';
import { transaction } from '../../../db/transaction.ts';
import { ContactChangeId, RegistrationId, UserId, type ChallengeId } from '../../../domain/ids.ts';
import type { ContactKind, SentFactor } from '../../../domain/identity/people.ts';
import type { Visit } from '../../callers.ts';
import type { Throttles } from '../../platform/throttles.ts';
import type { Services } from '../../services.ts';
import { CODE_SECONDS, deliverCode, macOf, newCode, type Recipient } from './codes.ts';
import { tellOwner, wishedContact } from '../people/contact-changes.ts';
import { limitCodes } from './factors.ts';
import { applicantOf, tellOwnerOf } from '../people/registration.ts';
import { limitChanges, limitStrangers } from './sent-codes.ts';

/** Exchanges the code of a challenge and sends the new one. Opens its transaction itself. */
export async function sendAgain(
  visit: Visit<'too_many_requests'>,
  { cipher, throttles }: Services,
  id: ChallengeId,
): Promise<RenewedCode> {
  const { db, refusal } = visit;
  const challenge = await resendable(db, id);
  const addressee = challenge && (await addresseeOf(db, cipher, challenge));
  if (challenge === undefined || addressee === undefined) throw refusal('not_found');
  // what is not sent does not count
  if (challenge.waitSeconds > 0) throw refusal('too_many_requests', { retryAfter: challenge.waitSeconds });
  await limitResend(visit, throttles, challenge, addressee);
  const { purpose, approval } = challenge;
  const { recipient, method, tellInstead } = addressee;
  return transaction(db, async (tx) => {
    const code = newCode(purpose);
    const renewed = await renewCode(tx, { id, codeMac: macOf(cipher, id, code), seconds: CODE_SECONDS });
    // another call was quicker
    if (renewed === undefined) throw refusal('too_many_requests', { retryAfter: 30 });
    if (!(await tellInstead(tx)))
      await deliverCode(tx, cipher, { purpose, method, recipient, code, approval });
    return renewed;
  });
}

/** Where the code of a challenge goes. `tellInstead` is asked first: if the address has an owner, they are told and nobody gets a code. */
interface Addressee {
  readonly recipient: Recipient;
  readonly method: SentFactor;
  tellInstead(em: EntityManager): Promise<boolean>;
}

const nobody = () => Promise.resolve(false);

/** Whom a challenge writes to; undefined if what it belongs to is over. */
async function addresseeOf(
  em: EntityManager,
  cipher: Cipher,
  challenge: Challenge,
): Promise<Addressee | undefined> {
  const { purpose, subjectId, method } = challenge;
  if (method === 'totp') return undefined;
  switch (purpose) {
    case 'verify_email':
    case 'verify_phone':
      return applicant(em, cipher, RegistrationId.parse(subjectId), method);
    case 'login':
    case 'step_up':
      return user(em, UserId.parse(subjectId), method);
    case 'change_email':
      return changer(em, cipher, ContactChangeId.parse(subjectId), 'email', method);
    case 'change_phone':
      return changer(em, cipher, ContactChangeId.parse(subjectId), 'phone', method);
    case 'reset_password':
      return undefined;
  }
}

/** Counts the code against the one who gets it, as its first sending did. */
async function limitResend(
  visit: Visit<'too_many_requests'>,
  throttles: Throttles,
  { purpose, subjectId }: Challenge,
  { recipient, method }: Addressee,
): Promise<void> {
  if (purpose === 'login' || purpose === 'step_up')
    await limitCodes(visit, throttles, UserId.parse(subjectId), { purpose, method });
  else if (recipient.userId !== null) await limitChanges(visit, throttles, recipient.userId);
  else await limitStrangers(visit, throttles, { to: recipient.to, method });
}

async function applicant(
  em: EntityManager,
  cipher: Cipher,
  id: RegistrationId,
  method: SentFactor,
): Promise<Addressee | undefined> {
  const found = await applicantOf(em, cipher, id);
  if (found === undefined) return userToBe(em, id, method);
  const { email, phone, locale } = found;
  if (method === 'email_otp') {
    const recipient = { userId: null, to: email, locale };
    return { recipient, method, tellInstead: (tx) => tellOwnerOf(tx, cipher, email) };
  }
  return phone === null
    ? undefined
    : { recipient: { userId: null, to: phone, locale }, method, tellInstead: nobody };
}

/** The email address was proven first, so the registration is a user whose number still waits. */
async function userToBe(
  em: EntityManager,
  id: RegistrationId,
  method: SentFactor,
): Promise<Addressee | undefined> {
  if (method !== 'sms_otp') return undefined;
  const userId = UserId.parse(id);
  const waiting = await unprovenPhone.first(em, { id: userId });
  if (waiting === undefined) return undefined;
  const { phone, locale } = waiting;
  return { recipient: { userId, to: phone, locale }, method, tellInstead: nobody };
}

async function user(em: EntityManager, id: UserId, method: SentFactor): Promise<Addressee | undefined> {
  const factors = await factorsOf.first(em, { userId: id });
  const to = method === 'sms_otp' ? factors?.phone : factors?.email;
  if (factors === undefined || to === undefined || to === null) return undefined;
  return { recipient: { userId: id, to, locale: factors.locale }, method, tellInstead: nobody };
}

async function changer(
  em: EntityManager,
  cipher: Cipher,
  id: ContactChangeId,
  kind: ContactKind,
  method: SentFactor,
): Promise<Addressee | undefined> {
  const change = await contactChange.first(em, { id });
  if (change === undefined) return undefined;
  const factors = await factorsOf.first(em, { userId: change.userId });
  if (factors === undefined) return undefined;
  const to = wishedContact(cipher, change);
  const { userId, locale } = factors;
  const tellInstead = (tx: EntityManager) => tellOwner(tx, cipher, userId, kind, to);
  return { recipient: { userId, to, locale }, method, tellInstead };
}
