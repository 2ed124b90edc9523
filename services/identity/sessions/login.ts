/** Logging in: the password, the second factor if one is on, and the session that begins. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { factorsOf } from '../../../db/queries/identity/factors/factors.ts';
import { loginStands, type Login } from '../../../db/queries/identity/sessions/logins.ts';
import { inTransaction, transaction } from '../../../db/transaction.ts';
import type { ChallengeId, UserId } from '../../../domain/ids.ts';
import {
  methodOf,
  type AuthenticationMethod,
  type SecondFactor,
  type UserRole,
} from '../../../domain/identity/people.ts';
import type { Refusal } from '../../../domain/refusals.ts';
import type { Visit } from '../../callers.ts';
import type { Services } from '../../services.ts';
import { evenTime } from '../even-time.ts';
import { noteEvent, noteFailure } from '../events.ts';
import { takeFactor, type AnswerMethod, type OpenChallenge } from '../factors/challenges.ts';
import { askFor, chooseFactor, limitCodes, loginFactors } from '../factors/factors.ts';
import { tellOfNewDevice } from './devices.ts';
import { checkPassword } from './password-check.ts';
import { startSession, type StartedSession } from './refresh.ts';

/** The device that a login came from, as far as it says so. */
interface Device {
  readonly deviceLabel: string | null;
  readonly deviceHash: Buffer | null;
}

/** A session, or the second factor that is missing for one. */
export type LoginOutcome =
  | { readonly kind: 'started'; readonly session: StartedSession }
  | {
      readonly kind: 'challenged';
      readonly challenge: OpenChallenge;
      readonly method: SecondFactor;
      readonly methods: SecondFactor[];
    };

type LoginCall = Visit<'invalid_credentials' | 'no_such_factor' | 'too_many_requests'>;

/** Checks the password, and starts the session or asks for the second factor. Opens its transactions itself. */
export async function logIn(
  visit: LoginCall,
  services: Services,
  given: Device & {
    readonly identifier: string;
    readonly password: string;
    readonly wishedFactor: SecondFactor | undefined;
  },
): Promise<LoginOutcome> {
  const even = evenTime();
  const person = await checkPassword(visit, services, given);
  if (person === null) {
    await even;
    throw visit.refusal('invalid_credentials');
  }
  const { deviceLabel, deviceHash } = given;
  const device = { deviceLabel, deviceHash };
  const methods = loginFactors(person);
  if (methods.length === 0)
    return { kind: 'started', session: await startByPassword(visit, services, person, device) };
  const method = chooseFactor(visit, person, methods, given.wishedFactor);
  await limitCodes(visit, services.throttles, person.id, { purpose: 'login', method });
  const challenge = await challengeLogin(visit, services, person, { method, device });
  return { kind: 'challenged', challenge, method, methods };
}

/** Takes the second factor of a login and starts the session. A refusal is returned, because the attempt must be counted. */
export async function logInByFactor(
  visit: Visit<'invalid_code' | 'too_many_requests'>,
  services: Services,
  answer: { readonly id: ChallengeId; readonly code: string; readonly method: AnswerMethod | undefined },
): Promise<StartedSession | Refusal> {
  const { db, refusal } = visit;
  const taken = await takeFactor(visit, services.cipher, { ...answer, purpose: 'login', sessionId: null });
  if (taken.kind === 'refused') {
    if (taken.userId !== null) await noteFailure(visit, 'code.failed', ['user', taken.userId]);
    return taken.refusal;
  }
  const { userId, method, challenge } = taken;
  const owner = await factorsOf.first(db, { userId });
  // the factor was switched off while its code was on the way; a recovery code asks for itself
  if (owner === undefined || !(method === 'recovery_code' || loginFactors(owner).includes(method)))
    return refusal('invalid_code');
  const amr = ['pwd', method === 'recovery_code' ? 'otp' : methodOf[method]] as const;
  const { deviceLabel, deviceHash } = challenge;
  const proven = { amr, checkedHash: null, secondMethod: method, deviceLabel, deviceHash };
  return (await completeLogin(visit, services, owner, proven)) ?? refusal('invalid_code');
}

async function challengeLogin(
  visit: LoginCall,
  { cipher }: Services,
  person: Login,
  { method, device: binding }: { readonly method: SecondFactor; readonly device: Device },
): Promise<OpenChallenge> {
  return transaction(visit.db, async (db) => {
    // checking took its time: the password, or where codes go, was changed in between
    if ((await loginStands.first(db, person)) === undefined) throw visit.refusal('invalid_credentials');
    const opened = await askFor({ ...visit, db }, cipher, person, { purpose: 'login', method, binding });
    await noteEvent({ ...visit, db }, 'login.challenged', person, { after: { method } });
    return opened;
  });
}

async function startByPassword(
  visit: LoginCall,
  services: Services,
  person: Login,
  device: Device,
): Promise<StartedSession> {
  const proven = { amr: ['pwd'], checkedHash: person.passwordHash, secondMethod: null, ...device } as const;
  const begin = (db: EntityManager) => completeLogin({ ...visit, db }, services, person, proven);
  const started = await (person.knownDevice ? begin(visit.db) : transaction(visit.db, begin));
  // checking took its time: the password was changed, or a second factor set up, in between
  if (started === null) throw visit.refusal('invalid_credentials');
  return started;
}

/** A login that has proven enough: by its second factor, or by the password of somebody who has none. */
interface ProvenLogin extends Device {
  readonly amr: readonly AuthenticationMethod[];
  readonly checkedHash: string | null;
  readonly secondMethod: AnswerMethod | null;
}

/**
 * Starts the session, and tells the user if the device is a new one. Null if what was proven does not hold any more. In the
 * transaction of the last proof; if that was the password and the device is known, it is one statement and needs none.
 */
async function completeLogin(
  visit: Visit,
  services: Services,
  owner: {
    readonly userId: UserId;
    readonly role: UserRole;
    readonly email: string;
    readonly locale: string;
  },
  proven: ProvenLogin,
): Promise<StartedSession | null> {
  const { userId, role, email, locale } = owner;
  const started = await startSession(visit, services, { ...proven, userId, role });
  if (started?.surprising === true) {
    const told = { userId, email, locale, deviceLabel: proven.deviceLabel, client: visit.client };
    // without a transaction only if the device was known until just now
    await inTransaction(visit.db, (db) => tellOfNewDevice(db, services.cipher, told));
  }
  return started;
}
