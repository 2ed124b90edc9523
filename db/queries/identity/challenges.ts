/** Whatever waits for a code. Attempts are counted by the statement that allows them, so parallel guesses cannot pass the limit. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ChallengeId, SessionId, UserId } from '../../../domain/ids.ts';
import type { ChallengePurpose, SecondFactor } from '../../../domain/people.ts';
import { row, rows } from '../../sql.ts';

/** Most codes that are sent for one challenge after the first. */
const RESENDS_MAX = 3;
/** Between two codes for one challenge. */
const RESEND_PAUSE_SECONDS = 30;

export interface Challenge {
  readonly id: ChallengeId;
  readonly purpose: ChallengePurpose;
  /** The user, the registration that will become one, or the change of an address. */
  readonly subjectId: string;
  readonly method: SecondFactor;
  /** Keyed hash of the code that was sent; null where an authenticator makes it. */
  readonly codeMac: Buffer | null;
  readonly sessionId: SessionId | null;
  readonly operation: string | null;
  readonly deviceLabel: string | null;
  /** The device that a login came from, as it named itself. */
  readonly deviceHash: Buffer | null;
}

const COLUMNS = `id, purpose, subject_id as "subjectId", method, code_mac as "codeMac", session_id as "sessionId",
       operation, device_label as "deviceLabel", device_hash as "deviceHash"`;

/** Stores a challenge that lives for `seconds`; answers when it ends. */
export async function insertChallenge(
  em: EntityManager,
  challenge: Challenge,
  seconds: number,
): Promise<Date> {
  const { id, purpose, subjectId, method, codeMac, sessionId, operation, deviceLabel, deviceHash } =
    challenge;
  const inserted = await row<{ expires_at: Date }>(
    em,
    `insert into challenges
       (id, purpose, subject_id, method, code_mac, session_id, operation, device_label, device_hash, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10)) returning expires_at`,
    [id, purpose, subjectId, method, codeMac, sessionId, operation, deviceLabel, deviceHash, seconds],
  );
  if (inserted === undefined) throw new Error('a challenge was not stored');
  return inserted.expires_at;
}

/**
 * Counts one attempt and answers the challenge; undefined where it is unknown, of another purpose or session, answered,
 * over its time, or over its attempts. The row stays locked until the transaction ends.
 */
export async function claimAttempt(
  em: EntityManager,
  id: ChallengeId,
  purpose: ChallengePurpose,
  sessionId: SessionId | null,
): Promise<Challenge | undefined> {
  return row<Challenge>(
    em,
    `update challenges set attempts = attempts + 1
     where id = $1 and purpose = $2 and session_id is not distinct from $3
       and consumed_at is null and expires_at > now() and attempts < 5
     returning ${COLUMNS}`,
    [id, purpose, sessionId],
  );
}

/**
 * Locks the row of the user whose challenge this is, before the challenge itself: whatever changes a credential locks in this order
 * too. With `share` several challenges are answered at once, and changes wait for them or they for a change. Answers whose it is;
 * undefined where it belongs to no user.
 */
export async function lockOwner(
  em: EntityManager,
  id: ChallengeId,
  strength: 'share' | 'no key update',
): Promise<UserId | undefined> {
  const owner = await row<{ id: UserId }>(
    em,
    `select u.id from users u where u.id = (select c.subject_id from challenges c where c.id = $1) for ${strength} of u`,
    [id],
  );
  return owner?.id;
}

/** A challenge whose code can be sent again, in so many seconds. */
export interface ResendableChallenge extends Challenge {
  readonly waitSeconds: number;
}

/**
 * A challenge whose code can be sent once more, undefined otherwise. A registration or a change of an address outlives its code; a
 * login does not. Who has forgotten the password asks anew.
 */
export async function resendable(
  em: EntityManager,
  id: ChallengeId,
): Promise<ResendableChallenge | undefined> {
  return row<ResendableChallenge>(
    em,
    `select ${COLUMNS}, greatest(0, ceil(extract(epoch from sent_at - now()) + $3))::int as "waitSeconds" from challenges
     where id = $1 and method <> 'totp' and purpose <> 'reset_password' and consumed_at is null and attempts < 5 and resends < $2
       and (expires_at > now() or purpose not in ('login', 'step_up'))`,
    [id, RESENDS_MAX, RESEND_PAUSE_SECONDS],
  );
}

/** How a code stands after it was exchanged for another. */
export interface RenewedCode {
  readonly expiresAt: Date;
  readonly resendsLeft: number;
}

/** Puts another code in the place of the one that was sent; undefined where it was just sent again, or may not be any more. */
export async function renewCode(
  em: EntityManager,
  id: ChallengeId,
  codeMac: Buffer,
  seconds: number,
): Promise<RenewedCode | undefined> {
  return row<RenewedCode>(
    em,
    `update challenges set code_mac = $2, resends = resends + 1, sent_at = now(), expires_at = now() + make_interval(secs => $3)
     where id = $1 and consumed_at is null and attempts < 5 and resends < $4 and sent_at <= now() - make_interval(secs => $5)
     returning expires_at as "expiresAt", $4 - resends as "resendsLeft"`,
    [id, codeMac, seconds, RESENDS_MAX, RESEND_PAUSE_SECONDS],
  );
}

/** A challenge is answered once. */
export async function consumeChallenge(em: EntityManager, id: ChallengeId): Promise<void> {
  await rows(em, 'update challenges set consumed_at = now() where id = $1', [id]);
}

/** No login, step-up or new password of this user that waits for its code goes on: the credential it began with was another one. */
export async function endChallenges(em: EntityManager, userId: UserId): Promise<void> {
  await rows(
    em,
    `update challenges set consumed_at = now()
     where subject_id = $1 and purpose in ('login', 'step_up', 'reset_password') and consumed_at is null`,
    [userId],
  );
}

/** Counts a guess of this user ahead of looking at it; false where `max` of the running hour are used up. */
export async function claimGuess(
  em: EntityManager,
  userId: UserId,
  purpose: ChallengePurpose | 'factor',
  max: number,
): Promise<boolean> {
  const claimed = await row(
    em,
    `insert into code_failures as f (user_id, purpose, failures) values ($1, $2, 1)
     on conflict (user_id, purpose) do update set
       failures = case when f.since < now() - interval '1 hour' then 1 else f.failures + 1 end,
       since = case when f.since < now() - interval '1 hour' then now() else f.since end
     where f.failures < $3 or f.since < now() - interval '1 hour'
     returning failures`,
    [userId, purpose, max],
  );
  return claimed !== undefined;
}

/** The guess was right, so it does not count. */
export async function refundGuess(
  em: EntityManager,
  userId: UserId,
  purpose: ChallengePurpose | 'factor',
): Promise<void> {
  await rows(
    em,
    'update code_failures set failures = failures - 1 where user_id = $1 and purpose = $2 and failures > 0',
    [userId, purpose],
  );
}
