/** Challenges: a code is asked for, and the right one proves a factor. Six digits, five minutes, five attempts, once. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import {
  claimAttempt,
  consumeChallenge,
  insertChallenge,
  lockOwnerShared,
  type Challenge,
} from '../../../db/queries/identity/factors/challenges.ts';
import { claimGuess, refundGuess, type Guess } from '../../../db/queries/identity/factors/guesses.ts';
import { newUuid } from '../../../adapters/new-id.ts';
import { ChallengeId, type SessionId, type UserId } from '../../../domain/ids.ts';
import type { ChallengePurpose, SecondFactor, SentFactor } from '../../../domain/identity/people.ts';
import type { Refusal } from '../../../domain/refusals.ts';
import { network } from '../../platform/throttles.ts';
import type { OwnCall, Refusing, Visit } from '../../callers.ts';
import { CODE_SECONDS, codeMatches, deliverCode, macOf, newCode, type Recipient } from './codes.ts';
import { useRecoveryCode } from './recovery-codes.ts';
import { acceptTotp } from './totp.ts';

/** How a challenge may be answered. */
export type AnswerMethod = SecondFactor | 'recovery_code';

/** What a challenge belongs to beside its user. */
export interface Binding {
  readonly sessionId?: SessionId;
  readonly operation?: string;
  readonly deviceLabel?: string | null;
  readonly deviceHash?: Buffer | null;
  /** The hash of the one request that a step-up is for. */
  readonly requestHash?: string;
  /** Amount and payee of that request, as the message with the code names them. */
  readonly approval?: string;
}

export interface OpenChallenge {
  readonly id: ChallengeId;
  readonly expiresAt: Date;
}

/** Asks for a code of an authenticator. */
export async function askForTotp(
  em: EntityManager,
  purpose: 'login' | 'step_up',
  userId: UserId,
  binding: Binding,
): Promise<OpenChallenge> {
  const id = ChallengeId.parse(newUuid());
  const challenge = {
    id,
    purpose,
    subjectId: userId,
    method: 'totp',
    codeMac: null,
    ...bound(binding),
  } as const;
  const { expiresAt } = await insertChallenge.one(em, { ...challenge, seconds: CODE_SECONDS });
  return { id, expiresAt };
}

/** Asks for a code and sends it. With `silent` nobody gets it: who asks must not learn that the address is taken. */
export async function sendCode(
  em: EntityManager,
  cipher: Cipher,
  asked: {
    readonly purpose: ChallengePurpose;
    readonly subjectId: string;
    readonly method: SentFactor;
    readonly recipient: Recipient;
    readonly binding?: Binding;
    readonly silent?: boolean;
  },
): Promise<OpenChallenge> {
  const { purpose, subjectId, method, recipient, binding = {}, silent = false } = asked;
  const id = ChallengeId.parse(newUuid());
  const code = newCode(purpose);
  const challenge = { id, purpose, subjectId, method, codeMac: macOf(cipher, id, code), ...bound(binding) };
  const { expiresAt } = await insertChallenge.one(em, { ...challenge, seconds: CODE_SECONDS });
  const approval = binding.approval ?? null;
  if (!silent) await deliverCode(em, cipher, { purpose, method, recipient, code, approval });
  return { id, expiresAt };
}

/**
 * Takes a code that was sent to prove an address, a number or who has forgotten the password. Answers null where it is wrong,
 * late, or one too many; the caller's transaction must commit either way, because the attempt counts.
 */
export async function takeCode(
  em: EntityManager,
  cipher: Cipher,
  answer: {
    readonly id: ChallengeId;
    readonly purpose: Exclude<ChallengePurpose, 'login' | 'step_up'>;
    readonly code: string;
  },
): Promise<Challenge | null> {
  const { id, purpose } = answer;
  const challenge = await claimAttempt.first(em, { id, purpose, sessionId: null });
  if (challenge === undefined || !codeMatches(cipher, challenge, answer.code)) return null;
  await consumeChallenge.run(em, { id });
  return challenge;
}

/** Who gives a code in a session of theirs, and from which network. */
export type Origin = Pick<Guess, 'userId' | 'sessionId' | 'network'>;

export function originOf({ caller, client }: Pick<OwnCall, 'caller' | 'client'>): Origin {
  return { userId: caller.id, sessionId: caller.sessionId, network: network(client.address) };
}

/** As `takeCode`, for a user whose wrong codes of the running hour are counted over all challenges of this purpose. */
export async function takeGuessed(
  em: EntityManager,
  cipher: Cipher,
  answer: {
    readonly id: ChallengeId;
    readonly purpose: 'change_email' | 'change_phone';
    readonly code: string;
  },
  from: Origin,
): Promise<Challenge | 'wrong' | 'exhausted'> {
  const guess: Guess = { ...from, purpose: answer.purpose, deviceHash: null };
  if (!(await claimGuess(em, guess))) return 'exhausted';
  const challenge = await takeCode(em, cipher, answer);
  if (challenge === null) return 'wrong';
  await refundGuess(em, guess);
  return challenge;
}

/** What became of a code. `refused` names the user where there is one, so that the failure can be written down. */
export type Taken =
  | {
      readonly kind: 'proven';
      readonly userId: UserId;
      readonly method: AnswerMethod;
      readonly challenge: Challenge;
    }
  | { readonly kind: 'refused'; readonly userId: UserId | null; readonly refusal: Refusal };

/** The call of whoever gives a code. */
type CodeCall = Visit<'invalid_code' | 'too_many_requests'>;

/** As `takeCode`, for a user's second factor: an authenticator or, at login, a recovery code may stand in. */
export async function takeFactor(
  call: CodeCall,
  cipher: Cipher,
  answer: {
    readonly id: ChallengeId;
    readonly purpose: 'login' | 'step_up';
    readonly sessionId: SessionId | null;
    readonly code: string;
    readonly method: AnswerMethod | undefined;
  },
): Promise<Taken> {
  const { db, refusal } = call;
  const { id, purpose, sessionId, code } = answer;
  await lockOwnerShared.first(db, { id });
  const challenge = await claimAttempt.first(db, { id, purpose, sessionId });
  if (challenge === undefined) return { kind: 'refused', userId: null, refusal: refusal('invalid_code') };
  // a challenge of these purposes is only ever opened for a user
  const userId = challenge.subjectId as UserId;
  const method = answer.method ?? challenge.method;
  const { deviceHash } = challenge;
  const guess: Guess = { userId, purpose, deviceHash, sessionId, network: network(call.client.address) };
  // nobody guesses 120 bits, so wrong guesses at other codes do not keep out whoever has a recovery code
  if (method !== 'recovery_code' && !(await claimGuess(db, guess)))
    return { kind: 'refused', userId, refusal: tooManyGuesses(call) };
  const right = await proves(db, cipher, challenge, userId, method, code);
  if (!right) return { kind: 'refused', userId, refusal: refusal('invalid_code') };
  if (method !== 'recovery_code') await refundGuess(db, guess);
  await consumeChallenge.run(db, { id });
  return { kind: 'proven', userId, method, challenge };
}

/** Takes a code of the user's authenticator outside a challenge: confirming a setup, removing the factor. Counts wrong ones. */
export async function takeTotp(
  call: OwnCall<'invalid_code' | 'too_many_requests'>,
  cipher: Cipher,
  answer: { readonly code: string; readonly state: 'pending' | 'enabled' },
): Promise<true | Refusal> {
  const { db } = call;
  const { code, state } = answer;
  const guess: Guess = { ...originOf(call), purpose: 'factor', deviceHash: null };
  const { userId } = guess;
  if (!(await claimGuess(db, guess))) return tooManyGuesses(call);
  const right =
    (await acceptTotp(db, cipher, userId, code, state)) ||
    (state === 'enabled' && (await useRecoveryCode(db, cipher, userId, code)));
  if (!right) return call.refusal('invalid_code');
  await refundGuess(db, guess);
  return true;
}

async function proves(
  em: EntityManager,
  cipher: Cipher,
  challenge: Challenge,
  userId: UserId,
  method: AnswerMethod,
  code: string,
): Promise<boolean> {
  switch (method) {
    case 'totp':
      return acceptTotp(em, cipher, userId, code);
    case 'recovery_code':
      return challenge.purpose === 'login' && useRecoveryCode(em, cipher, userId, code);
    case 'email_otp':
    case 'sms_otp':
      return challenge.method === method && codeMatches(cipher, challenge, code);
  }
}

/** Ten wrong codes in an hour. */
export function tooManyGuesses({ refusal }: Refusing<'too_many_requests'>): Refusal {
  return refusal('too_many_requests', { retryAfter: 3_600 });
}

function bound({ sessionId, operation, deviceLabel, deviceHash, requestHash, approval }: Binding) {
  return {
    sessionId: sessionId ?? null,
    operation: operation ?? null,
    deviceLabel: deviceLabel ?? null,
    deviceHash: deviceHash ?? null,
    requestHash: requestHash ?? null,
    approval: approval ?? null,
  };
}
