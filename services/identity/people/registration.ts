/**
 * Registration. A user exists only once the email address is proven: until then what somebody said of themselves waits, sealed.
 * So nobody can occupy another's address, and a taken address is answered as a fresh one (its owner is written to instead).
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Cipher } from '../../../adapters/cipher.ts';
import { notify } from '../../notifications/events.ts';
import { insertUser, ownerOfEmail } from '../../../db/queries/identity/people/people.ts';
import { phoneTaken, verifyPhone } from '../../../db/queries/identity/people/phones.ts';
import {
  insertRegistration,
  takeRegistration,
  waitingRegistration,
} from '../../../db/queries/identity/people/registrations.ts';
import { transaction } from '../../../db/transaction.ts';
import { RegistrationId, UserId, type ChallengeId } from '../../../domain/ids.ts';
import type { Refusal } from '../../../domain/refusals.ts';
import type { Visit } from '../../callers.ts';
import type { Services } from '../../services.ts';
import { evenTime } from '../even-time.ts';
import { noteEvent } from '../events.ts';
import { sendCode, takeCode, type OpenChallenge } from '../factors/challenges.ts';
import { limitStrangers } from '../factors/sent-codes.ts';
import { refuseWeak } from '../passwords/password-policy.ts';

/** Longer than a code lives, so that another can be asked for. */
const REGISTRATION_SECONDS = 3_600;

/** Only this file writes it, sealed; it is read strictly all the same. */
const Applicant = z.strictObject({
  email: z.string(),
  phone: z.string().nullable(),
  passwordHash: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  dateOfBirth: z.string(),
  country: z.string(),
  address: z
    .strictObject({
      line1: z.string(),
      line2: z.string().nullish(),
      postal_code: z.string(),
      city: z.string(),
      region: z.string().nullish(),
      country: z.string(),
    })
    .nullable(),
  locale: z.string(),
});
type Applicant = z.output<typeof Applicant>;

export interface OpenRegistration {
  readonly email: OpenChallenge;
  readonly phone: OpenChallenge | null;
}

/** Counts, hashes the password, keeps the applicant and sends the codes. Opens its transaction itself, because hashing takes its time. */
export async function register(
  visit: Visit<'weak_password' | 'too_many_requests'>,
  { cipher, passwords, throttles }: Services,
  id: RegistrationId,
  { password, ...wanted }: Omit<Applicant, 'passwordHash'> & { readonly password: string },
): Promise<OpenRegistration> {
  const even = evenTime();
  const { email, phone } = wanted;
  refuseWeak(visit, password, wanted, '/password');
  await limitStrangers(visit, throttles, { to: email, method: 'email_otp' });
  if (phone !== null) await limitStrangers(visit, throttles, { to: phone, method: 'sms_otp' });
  const applicant = { ...wanted, passwordHash: await passwords.hash(password) };
  const opened = await transaction(visit.db, (db) => openRegistration(db, cipher, id, applicant));
  await even;
  return opened;
}

/** A code that proves an address or number. */
interface Proof {
  readonly id: ChallengeId;
  readonly code: string;
}

/** Takes the code of the email address, which makes the user. A refusal is returned, because the attempt must be counted. */
export async function proveEmail(
  visit: Visit<'invalid_code'>,
  { cipher }: Services,
  proof: Proof,
): Promise<UserId | Refusal> {
  const { db, refusal } = visit;
  const challenge = await takeCode(db, cipher, { ...proof, purpose: 'verify_email' });
  const registration = challenge && RegistrationId.parse(challenge.subjectId);
  const id = registration && (await completeRegistration(db, cipher, registration));
  if (id === null) return refusal('invalid_code');
  await noteEvent(visit, 'user.registered', { id, role: 'customer' });
  return id;
}

/** Takes the code of the phone number. A refusal is returned, because the attempt must be counted. */
export async function provePhone(
  visit: Visit<'invalid_code' | 'conflict'>,
  { cipher }: Services,
  proof: Proof,
): Promise<'verified' | Refusal> {
  const { db, refusal } = visit;
  const challenge = await takeCode(db, cipher, { ...proof, purpose: 'verify_phone' });
  if (challenge === null) return refusal('invalid_code');
  const outcome = await verifyPhone(db, RegistrationId.parse(challenge.subjectId));
  switch (outcome.kind) {
    case 'gone':
      return refusal('invalid_code');
    case 'taken':
      return refusal('conflict', { detail: 'The number belongs to another login.' });
    case 'verified':
      await noteEvent(visit, 'phone.verified', outcome.owner);
      return 'verified';
    case 'waiting':
      return 'verified';
  }
}

/** Keeps the applicant and sends the codes. Writes the same rows whether the address is taken or not; only the mail differs. */
async function openRegistration(
  em: EntityManager,
  cipher: Cipher,
  id: RegistrationId,
  applicant: Applicant,
): Promise<OpenRegistration> {
  const sealedApplicant = cipher.seal(Buffer.from(JSON.stringify(applicant)), sealContext(id));
  await insertRegistration(em, { id, sealedApplicant, lastsSeconds: REGISTRATION_SECONDS });
  const taken = await tellOwnerOf(em, cipher, applicant.email);
  const { locale } = applicant;
  const email = await sendCode(em, cipher, {
    purpose: 'verify_email',
    subjectId: id,
    method: 'email_otp',
    recipient: { userId: null, to: applicant.email, locale },
    silent: taken,
  });
  if (applicant.phone === null) return { email, phone: null };
  const phone = await sendCode(em, cipher, {
    purpose: 'verify_phone',
    subjectId: id,
    method: 'sms_otp',
    recipient: { userId: null, to: applicant.phone, locale },
  });
  return { email, phone };
}

/** True where the address has a login, whose owner is then told of the attempt. */
export async function tellOwnerOf(em: EntityManager, cipher: Cipher, email: string): Promise<boolean> {
  const owner = await ownerOfEmail.first(em, { email });
  if (owner === undefined) return false;
  const { id: userId, locale } = owner;
  await notify(em, cipher, { userId, to: { email }, type: 'address_taken', locale, values: {} });
  return true;
}

/** What somebody said of themselves at a registration that still waits. */
export async function applicantOf(
  em: EntityManager,
  cipher: Cipher,
  id: RegistrationId,
): Promise<Applicant | undefined> {
  const waiting = await waitingRegistration.first(em, { id });
  return waiting === undefined ? undefined : readApplicant(cipher, id, waiting.sealedApplicant);
}

/** The address is proven: makes the user. Null where the registration is over or the address got a login meanwhile. */
async function completeRegistration(
  em: EntityManager,
  cipher: Cipher,
  id: RegistrationId,
): Promise<UserId | null> {
  const taken = await takeRegistration.first(em, { id });
  if (taken === undefined) return null;
  const applicant = readApplicant(cipher, id, taken.sealedApplicant);
  const userId = UserId.parse(id);
  const { phone } = applicant;
  // two applicants may have proven one number; the first user keeps it as a login
  const phoneFree = phone !== null && !(await phoneTaken(em, phone));
  const user = {
    ...applicant,
    id: userId,
    phoneVerifiedAt: phoneFree ? taken.phoneVerifiedAt : null,
    role: 'customer' as const,
  };
  return (await insertUser.run(em, user)) > 0 ? userId : null;
}

function readApplicant(cipher: Cipher, id: RegistrationId, sealed: Buffer): Applicant {
  return Applicant.parse(JSON.parse(cipher.open(sealed, sealContext(id)).toString()));
}

function sealContext(id: RegistrationId): string {
  return `registrations/${id}`;
}
