/** The first steps of a login: is this the password of that person, and is it enough. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { factorsOf, type Factors } from '../../db/queries/factors.ts';
import { findLogin, type Login } from '../../db/queries/people.ts';
import { normaliseIdentifier } from '../../domain/contact.ts';
import type { UserId } from '../../domain/ids.ts';
import type { AuthenticationMethod, SecondFactor, UserRole } from '../../domain/people.ts';
import { Refusal } from '../../domain/refusals.ts';
import { network, type Throttles } from '../pipeline/throttle.ts';
import type { Services } from '../services.ts';
import type { AnswerMethod } from './challenges.ts';
import { tellOfNewDevice } from './devices.ts';
import { noteEvent, noteFailure, type Origin } from './events.ts';
import { chooseFactor, limitCodes, loginFactors } from './factors.ts';
import { startSession, type StartedSession } from './refresh.ts';

/** OWASP ASVS 5.0 6.1.1, 6.3.1: guesses at one login from one network, and at one login from everywhere. */
const FROM_ONE_NETWORK = { points: 20, seconds: 900 };
const FROM_ANYWHERE = { points: 100, seconds: 3_600 };

/**
 * Answers the person, or null. Unknown, blocked and wrong cost the same time and write the same row. Refuses too_many_requests.
 * The limit over all networks does not hold where this user has logged in from before: a stranger cannot lock anybody out.
 */
export async function checkPassword(
  db: EntityManager,
  services: Services,
  origin: Origin,
  given: { readonly identifier: string; readonly password: string },
): Promise<Login | null> {
  const { throttles, passwords, cipher } = services;
  const { address } = origin.client;
  const identifier = normaliseIdentifier(given.identifier) ?? given.identifier.toLowerCase();
  await throttles.take('login-network', `${identifier} ${network(address)}`, FROM_ONE_NETWORK);
  const person = await findLogin(db, identifier, address);
  if (person?.knownAddress !== true) await throttles.take('login-anywhere', identifier, FROM_ANYWHERE);
  const matches = await passwords.verify(person?.passwordHash ?? null, given.password);
  if (matches && person?.status === 'active') return person;
  const subject =
    person === undefined
      ? { type: 'identifier' as const, id: cipher.mac('identifier', identifier).toString('hex') }
      : { type: 'user' as const, id: person.id };
  await noteFailure(db, origin, 'login.failed', subject);
  return null;
}

/** The second factor that a login asks for, and all that are on. */
export interface NeededFactor {
  readonly factors: Factors;
  readonly method: SecondFactor;
  readonly methods: SecondFactor[];
}

/** Which second factor this login needs; null where the user has none on. Refuses no_such_factor, too_many_requests. */
export async function secondFactorOf(
  db: EntityManager,
  throttles: Throttles,
  userId: UserId,
  wished: SecondFactor | undefined,
): Promise<NeededFactor | null> {
  const factors = await factorsOf(db, userId);
  if (factors === undefined) throw new Refusal('invalid_credentials');
  const methods = loginFactors(factors);
  if (methods.length === 0) return null;
  const method = chooseFactor(factors, methods, wished);
  await limitCodes(throttles, userId, method);
  return { factors, method, methods };
}

/** Whose login it is, and where they are written to. */
export interface LoginOwner {
  readonly id: UserId;
  readonly role: UserRole;
  readonly email: string;
  readonly locale: string;
}

/** A login that has proven enough. */
export interface ProvenLogin {
  readonly amr: readonly AuthenticationMethod[];
  /** The second factor, where one was asked for. */
  readonly method?: AnswerMethod;
  readonly deviceLabel: string | null;
  readonly deviceHash: Buffer | null;
}

/** Starts the session, writes it down, and tells the user where the device is a new one. In the transaction of the last proof. */
export async function completeLogin(
  em: EntityManager,
  services: Services,
  origin: Origin,
  owner: LoginOwner,
  { amr, method, deviceLabel, deviceHash }: ProvenLogin,
): Promise<StartedSession> {
  const { id: userId, role } = owner;
  const { client } = origin;
  const started = await startSession(em, services, { userId, role, amr, deviceLabel, deviceHash, client });
  const after = { session: started.sessionId, ...(method === undefined ? {} : { method }) };
  await noteEvent(em, origin, 'session.started', owner, { after });
  if (started.surprising)
    await tellOfNewDevice(em, services.cipher, { ...owner, userId, deviceLabel, client });
  return started;
}
