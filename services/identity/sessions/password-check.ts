/** Is this the password of that person? Guesses are counted, and whoever is unknown looks the same as whoever is wrong. */
import { findLogin, type Login } from '../../../db/queries/identity/sessions/logins.ts';
import { normaliseIdentifier } from '../../../domain/identity/contact.ts';
import { network } from '../../platform/throttles.ts';
import type { Visit } from '../../callers.ts';
import type { Services } from '../../services.ts';
import { noteFailure } from '../events.ts';

/** OWASP ASVS 5.0 6.1.1, 6.3.1: guesses at one login from one network, and at one login from everywhere. */
const FROM_ONE_NETWORK = { points: 20, seconds: 900 };
const FROM_ANYWHERE = { points: 100, seconds: 3_600 };

/**
 * Answers the person, or null. Unknown, blocked and wrong cost the same time and write the same row. Refuses too_many_requests.
 * The limit over all networks does not hold where this user has logged in from before, nor on a device of theirs, which has one of its
 * own: a stranger cannot lock anybody out.
 */
export async function checkPassword(
  visit: Visit<'too_many_requests'>,
  { throttles, passwords, cipher }: Services,
  given: { readonly identifier: string; readonly password: string; readonly deviceHash: Buffer | null },
): Promise<Login | null> {
  const { db, client } = visit;
  const { deviceHash } = given;
  const identifier = normaliseIdentifier(given.identifier) ?? given.identifier.toLowerCase();
  await throttles.take(visit, 'login-network', `${identifier} ${network(client.address)}`, FROM_ONE_NETWORK);
  const person = await findLogin(db, identifier, deviceHash);
  if (!isKnownFrom(person, client.address)) {
    if (person?.knownDevice === true && deviceHash !== null)
      await throttles.take(
        visit,
        'login-device',
        `${person.id} ${deviceHash.toString('hex')}`,
        FROM_ONE_NETWORK,
      );
    else await throttles.take(visit, 'login-anywhere', identifier, FROM_ANYWHERE);
  }
  const matches = await passwords.verify(person?.passwordHash ?? null, given.password);
  if (matches && person?.status === 'active') return person;
  const nobody = ['identifier', cipher.mac('identifier', identifier).toString('hex')] as const;
  await noteFailure(visit, 'login.failed', person === undefined ? nobody : ['user', person.id]);
  return null;
}

/** Whether this user has logged in from the address's network before. */
export function isKnownFrom(person: Login | undefined, address: string): boolean {
  return person?.knownAddresses.some((known) => network(known) === network(address)) === true;
}
