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
import { claimGuess, refundGuess } from '../../../db/queries/identity/factors/guesses.ts';
import { newUuid } from '../../../adapters/new-id.ts';
import { ChallengeId, type SessionId, type UserId } from '../../../domain/ids.ts';
import type { ChallengePurpose, SecondFactor, SentFactor } from '../../../domain/identity/people.ts';
import type { Refusal } from '../../../domain/refusals.ts';
import type { Call, Refusing } from '../../callers.ts';
import { CODE_SECONDS, codeMatches, deliverCode, macOf, newCode, type Recipient } from './codes.ts';
import { useRecoveryCode } from './recovery-codes.ts';
import { acceptTotp } from './totp.ts';

/** Wrong codes an hour, for each user and purpose. */
const GUESSES_MAX = 10;

/** How a challenge may be answered. */
export type AnswerMethod = SecondFactor | 'recovery_code';

/** What a challenge belongs to beside its user. */
export interface Binding {
  readonly sessionId?: SessionId;
  readonly operation?: string;
  readonly deviceLabel?: string | null;
  readonly deviceHash?: Buffer | null;
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
  if (!silent) await deliverCode(em, cipher, { purpose, method, recipient, code });
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

/** As `takeCode`, for a user whose wrong codes of the running hour are counted over all challenges of this purpose. */
export async function takeGuessed(
  em: EntityManager,
  cipher: Cipher,
  answer: {
    readonly id: ChallengeId;
    readonly purpose: 'change_email' | 'change_phone';
    readonly code: string;
    readonly userId: UserId;
  },
): Promise<Challenge | 'wrong' | 'exhausted'> {
  const { userId, purpose } = answer;
  if (!(await mayGuess(em, userId, purpose))) return 'exhausted';
  const challenge = await takeCode(em, cipher, answer);
  if (challenge === null) return 'wrong';
  await refundGuess.run(em, { userId, purpose });
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
type CodeCall = Call<'invalid_code' | 'too_many_requests'>;

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
  if (!(await mayGuess(db, userId, purpose)))
    return { kind: 'refused', userId, refusal: tooManyGuesses(call) };
  const method = answer.method ?? challenge.method;
  const right = await proves(db, cipher, challenge, userId, method, code);
  if (!right) return { kind: 'refused', userId, refusal: refusal('invalid_code') };
  await refundGuess.run(db, { userId, purpose });
  await consumeChallenge.run(db, { id });
  return { kind: 'proven', userId, method, challenge };
}

/** Takes a code of the user's authenticator outside a challenge: confirming a setup, removing the factor. Counts wrong ones. */
export async function takeTotp(
  call: CodeCall,
  cipher: Cipher,
  answer: { readonly userId: UserId; readonly code: string; readonly state: 'pending' | 'enabled' },
): Promise<true | Refusal> {
  const { db } = call;
  const { userId, code, state } = answer;
  if (!(await mayGuess(db, userId, 'factor'))) return tooManyGuesses(call);
  const right =
    (await acceptTotp(db, cipher, userId, code, state)) ||
    (state === 'enabled' && (await useRecoveryCode(db, cipher, userId, code)));
  if (!right) return call.refusal('invalid_code');
  await refundGuess.run(db, { userId, purpose: 'factor' });
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

/** Counts a guess ahead of looking at it; false where those of the running hour are used up. */
async function mayGuess(
  em: EntityManager,
  userId: UserId,
  purpose: ChallengePurpose | 'factor',
): Promise<boolean> {
  return (await claimGuess.run(em, { userId, purpose, max: GUESSES_MAX })) > 0;
}

/** Ten wrong codes in an hour. */
export function tooManyGuesses({ refusal }: Refusing<'too_many_requests'>): Refusal {
  return refusal('too_many_requests', { retryAfter: 3_600 });
}

function bound({ sessionId, operation, deviceLabel, deviceHash }: Binding) {
  return {
    sessionId: sessionId ?? null,
    operation: operation ?? null,
    deviceLabel: deviceLabel ?? null,
    deviceHash: deviceHash ?? null,
  };
}
