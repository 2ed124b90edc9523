/**
 * Changing one's email address or phone number. The new one is proven by a code before it replaces the old one, and the old one is
 * told. A taken one is answered as a free one: only its owner learns that somebody wanted it.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import { notify } from '../../notifications/events.ts';
import { endChallenges } from '../../../db/queries/identity/factors/challenges.ts';
import {
  insertContactChange,
  ownerOfContact,
  replaceContact,
  takeContactChange,
  type ContactChange,
} from '../../../db/queries/identity/people/contact-changes.ts';
import type { Factors } from '../../../db/queries/identity/factors/factors.ts';
import { ContactChangeId, type ChallengeId, type UserId } from '../../../domain/ids.ts';
import type { ContactKind, SentFactor } from '../../../domain/identity/people.ts';
import { sendCode, takeGuessed, type OpenChallenge, type Origin } from '../factors/challenges.ts';
import { tellUser } from '../notices.ts';

/** Longer than a code lives, so that it can be sent again. */
const CHANGE_SECONDS = 3_600;

const METHODS = { email: 'email_otp', phone: 'sms_otp' } as const satisfies Record<ContactKind, SentFactor>;
const PURPOSES = { email: 'change_email', phone: 'change_phone' } as const;

/** Keeps the wish and sends the code. Writes the same rows whether the address is taken or not; only the message differs. */
export async function openContactChange(
  em: EntityManager,
  cipher: Cipher,
  asked: {
    readonly id: string;
    readonly person: Factors;
    readonly kind: ContactKind;
    readonly value: string;
  },
): Promise<OpenChallenge> {
  const { person, kind, value } = asked;
  const { userId, locale } = person;
  const id = ContactChangeId.parse(asked.id);
  const sealedValue = cipher.seal(Buffer.from(value), sealContext(id));
  await insertContactChange(em, { id, userId, kind, sealedValue, seconds: CHANGE_SECONDS });
  const taken = await tellOwner(em, cipher, userId, kind, value);
  return sendCode(em, cipher, {
    purpose: PURPOSES[kind],
    subjectId: id,
    method: METHODS[kind],
    recipient: { userId, to: value, locale },
    silent: taken,
  });
}

/** True where the address or number is somebody else's, who is then told that it was wanted. */
export async function tellOwner(
  em: EntityManager,
  cipher: Cipher,
  userId: UserId,
  kind: ContactKind,
  value: string,
): Promise<boolean> {
  const owner = await ownerOfContact[kind].first(em, { value });
  if (owner === undefined || owner.id === userId) return false;
  await notify(em, cipher, {
    userId: owner.id,
    to: kind === 'email' ? { email: value } : { sms: value },
    type: 'contact_wanted',
    locale: owner.locale,
    values: {},
  });
  return true;
}

/** What a wish asks for. */
export function wishedContact(cipher: Cipher, { id, sealedValue }: ContactChange): string {
  return cipher.open(sealedValue, sealContext(id)).toString();
}

/**
 * Takes the code and puts the new address or number in the place of the old one; the old one is told. `wrong`: the code; the caller's
 * transaction must commit, because the attempt counts. `taken`: somebody else has proven it meanwhile. `proven`: it is the present one, so
 * there is no old one to tell.
 */
export async function completeContactChange(
  em: EntityManager,
  cipher: Cipher,
  answer: {
    readonly id: ChallengeId;
    readonly code: string;
    readonly person: Factors;
    readonly kind: ContactKind;
    readonly from: Origin;
  },
): Promise<'changed' | 'proven' | 'wrong' | 'exhausted' | 'taken'> {
  const { person, kind, id, code, from } = answer;
  const { userId } = person;
  const challenge = await takeGuessed(em, cipher, { id, purpose: PURPOSES[kind], code }, from);
  if (challenge === 'exhausted' || challenge === 'wrong') return challenge;
  const change = await takeContactChange.first(em, {
    id: ContactChangeId.parse(challenge.subjectId),
    userId,
  });
  if (change === undefined) return 'wrong';
  const value = wishedContact(cipher, change);
  const { done } = await replaceContact[kind].one(em, { userId, value });
  if (!done) return 'taken';
  // whoever reads the old mail or holds the old phone must not finish what was begun with it
  await endChallenges.run(em, { userId });
  if (value === person[kind]) return 'proven';
  await tellOld(em, cipher, person, kind);
  return 'changed';
}

/** By email to the address that has been the user's until now, and by text message if a number is replaced. */
async function tellOld(em: EntityManager, cipher: Cipher, person: Factors, kind: ContactKind): Promise<void> {
  const { userId, email, phone, locale } = person;
  const told = { userId, email, locale };
  const sms = kind === 'phone' ? phone : null;
  await tellUser(em, cipher, `${kind}_changed`, sms === null ? told : { ...told, sms });
}

function sealContext(id: ContactChangeId): string {
  return `contact_changes/${id}`;
}
