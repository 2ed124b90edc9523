/** Sending a code again: another code goes out for the same challenge, and the one before stops working. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import {
  renewCode,
  type Challenge,
  type RenewedCode,
} from '../../../db/queries/identity/factors/challenges.ts';
import { contactChange } from '../../../db/queries/identity/people/contact-changes.ts';
import { factorsOf } from '../../../db/queries/identity/factors/factors.ts';
import { unprovenPhone } from '../../../db/queries/identity/people/phones.ts';
import { ContactChangeId, RegistrationId, UserId } from '../../../domain/ids.ts';
import type { ContactKind, SentFactor } from '../../../domain/identity/people.ts';
import { Refusal } from '../../../domain/refusals.ts';
import type { Throttle } from '../../platform/throttles.ts';
import { network, type Throttles } from '../../platform/throttles.ts';
import { CODE_SECONDS, deliverCode, macOf, newCode, type Recipient } from './codes.ts';
import { tellOwner, wishedContact } from '../people/contact-changes.ts';
import { limitCodes } from './factors.ts';
import { applicantOf, tellOwnerOf } from '../people/registration.ts';

/**
 * Codes that strangers may have sent to one address or number: from one network, and from everywhere. The second is wider, so that
 * one stranger alone cannot keep somebody from registering; a text message costs more than a mail.
 */
const FROM_ONE_NETWORK = { points: 5, seconds: 3_600 };
const FROM_ANYWHERE = {
  email_otp: { points: 20, seconds: 3_600 },
  sms_otp: { points: 10, seconds: 3_600 },
} as const satisfies Record<SentFactor, Throttle>;
/** Codes that one user may have sent to new addresses and numbers; strangers do not count here. */
const BY_ONE_USER = { points: 5, seconds: 3_600 };

/** Where the code of a challenge goes. `tellInstead` is asked first: where the address has an owner, they are told and nobody gets a code. */
export interface Addressee {
  readonly recipient: Recipient;
  readonly method: SentFactor;
  tellInstead(em: EntityManager): Promise<boolean>;
}

const nobody = () => Promise.resolve(false);

/** Whom a challenge writes to; undefined where what it belongs to is over. */
export async function addresseeOf(
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

/** Counts the code against the one who gets it, as its first sending did. Not from within a transaction. Refuses too_many_requests. */
export async function limitResend(
  throttles: Throttles,
  { purpose, subjectId }: Challenge,
  { recipient, method }: Addressee,
  address: string,
): Promise<void> {
  if (purpose === 'login' || purpose === 'step_up')
    await limitCodes(throttles, UserId.parse(subjectId), { purpose, method });
  else if (recipient.userId !== null) await limitChanges(throttles, recipient.userId);
  else await limitStrangers(throttles, { to: recipient.to, method, address });
}

/** Counts a code for somebody who has not proven to own the address or number, asked for from `address`. Refuses too_many_requests. */
export async function limitStrangers(
  throttles: Throttles,
  { to, method, address }: { readonly to: string; readonly method: SentFactor; readonly address: string },
): Promise<void> {
  const name = method === 'sms_otp' ? 'register-phone' : 'register-email';
  await throttles.take(`${name}-network`, `${to} ${network(address)}`, FROM_ONE_NETWORK);
  await throttles.take(name, to, FROM_ANYWHERE[method]);
}

/** Counts a code that a user has sent to a new address or number. Refuses too_many_requests. */
export async function limitChanges(throttles: Throttles, userId: UserId): Promise<void> {
  await throttles.take('new-contact', userId, BY_ONE_USER);
}

/** Exchanges the code and sends the new one. Refuses too_many_requests where another call was quicker. */
export async function sendAgain(
  em: EntityManager,
  cipher: Cipher,
  { id, purpose }: Challenge,
  { recipient, method, tellInstead }: Addressee,
): Promise<RenewedCode> {
  const code = newCode(purpose);
  const renewed = await renewCode(em, { id, codeMac: macOf(cipher, id, code), seconds: CODE_SECONDS });
  if (renewed === undefined) throw new Refusal('too_many_requests', { retryAfter: 30 });
  if (!(await tellInstead(em))) await deliverCode(em, cipher, { purpose, method, recipient, code });
  return renewed;
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
