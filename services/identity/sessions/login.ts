/** The first steps of a login: is this the password of that person, and is it enough. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { findLogin, type Login } from '../../../db/queries/identity/sessions/logins.ts';
import { normaliseIdentifier } from '../../../domain/identity/contact.ts';
import type { UserId } from '../../../domain/ids.ts';
import type { AuthenticationMethod, SecondFactor, UserRole } from '../../../domain/identity/people.ts';
import { network, type Throttles } from '../../platform/throttles.ts';
import type { Services } from '../../services.ts';
import type { AnswerMethod } from '../factors/challenges.ts';
import { tellOfNewDevice } from './devices.ts';
import { noteFailure, type Origin } from '../events.ts';
import { chooseFactor, limitCodes, loginFactors } from '../factors/factors.ts';
import { startSession, type StartedSession } from './refresh.ts';
import { inTransaction } from '../../../db/transaction.ts';

/** OWASP ASVS 5.0 6.1.1, 6.3.1: guesses at one login from one network, and at one login from everywhere. */
const FROM_ONE_NETWORK = { points: 20, seconds: 900 };
const FROM_ANYWHERE = { points: 100, seconds: 3_600 };

/**
 * Answers the person, or null. Unknown, blocked and wrong cost the same time and write the same row. Refuses too_many_requests.
 * The limit over all networks does not hold where this user has logged in from before, nor on a device of theirs, which has one of its
 * own: a stranger cannot lock anybody out.
 */
export async function checkPassword(
  db: EntityManager,
  services: Services,
  origin: Origin,
  given: { readonly identifier: string; readonly password: string; readonly deviceHash: Buffer | null },
): Promise<Login | null> {
  const { throttles, passwords, cipher } = services;
  const { address } = origin.client;
  const identifier = normaliseIdentifier(given.identifier) ?? given.identifier.toLowerCase();
  await throttles.take('login-network', `${identifier} ${network(address)}`, FROM_ONE_NETWORK);
  const person = await findLogin(db, identifier, given.deviceHash);
  if (!isKnownFrom(person, address)) await limitElsewhere(throttles, identifier, person, given.deviceHash);
  const matches = await passwords.verify(person?.passwordHash ?? null, given.password);
  if (matches && person?.status === 'active') return person;
  const subject =
    person === undefined
      ? { type: 'identifier' as const, id: cipher.mac('identifier', identifier).toString('hex') }
      : { type: 'user' as const, id: person.id };
  await noteFailure(db, origin, 'login.failed', subject);
  return null;
}

/** Whether this user has logged in from the address's network before. */
export function isKnownFrom(person: Login | undefined, address: string): boolean {
  return person?.knownAddresses.some((known) => network(known) === network(address)) === true;
}

async function limitElsewhere(
  throttles: Throttles,
  identifier: string,
  person: Login | undefined,
  deviceHash: Buffer | null,
): Promise<void> {
  if (person?.knownDevice === true && deviceHash !== null)
    await throttles.take('login-device', `${person.id} ${deviceHash.toString('hex')}`, FROM_ONE_NETWORK);
  else await throttles.take('login-anywhere', identifier, FROM_ANYWHERE);
}

/** The second factor that a login asks for, and all that are on. */
export interface NeededFactor {
  readonly method: SecondFactor;
  readonly methods: SecondFactor[];
}

/** Which second factor this login needs; null where the user has none on. Refuses no_such_factor, too_many_requests. */
export async function secondFactorOf(
  throttles: Throttles,
  person: Login,
  wished: SecondFactor | undefined,
): Promise<NeededFactor | null> {
  const methods = loginFactors(person);
  if (methods.length === 0) return null;
  const method = chooseFactor(person, methods, wished);
  await limitCodes(throttles, person.id, { purpose: 'login', method });
  return { method, methods };
}

/** Whose login it is, and where they are written to. */
export interface LoginOwner {
  readonly id: UserId;
  readonly role: UserRole;
  readonly email: string;
  readonly locale: string;
}

/** A login that has proven enough: by its second factor, or by the password of somebody who has none. */
export interface ProvenLogin {
  readonly amr: readonly AuthenticationMethod[];
  readonly checkedHash: string | null;
  readonly secondMethod: AnswerMethod | null;
  readonly deviceLabel: string | null;
  readonly deviceHash: Buffer | null;
}

/**
 * Starts the session, and tells the user where the device is a new one. Null where what was proven does not hold any more. In the
 * transaction of the last proof; where that was the password and the device is known, it is one statement and needs none.
 */
export async function completeLogin(
  em: EntityManager,
  services: Services,
  origin: Origin,
  owner: LoginOwner,
  proven: ProvenLogin,
): Promise<StartedSession | null> {
  const { id: userId, role, email, locale } = owner;
  const started = await startSession(em, services, origin, { ...proven, userId, role });
  if (started?.surprising === true) {
    const told = { userId, email, locale, deviceLabel: proven.deviceLabel, client: origin.client };
    const tell = (tx: EntityManager) => tellOfNewDevice(tx, services.cipher, told);
    // without a transaction only where the device was known until just now
    await inTransaction(em, tell);
  }
  return started;
}
