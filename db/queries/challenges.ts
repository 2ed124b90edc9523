/** Whatever waits for a code. Attempts are counted by the statement that allows them, so parallel guesses cannot pass the limit. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ChallengeId, SessionId, UserId } from '../../domain/ids.ts';
import type { SecondFactor } from '../../domain/people.ts';
import { row, rows } from '../sql.ts';

export type ChallengePurpose = 'verify_email' | 'verify_phone' | 'login' | 'step_up';

export interface Challenge {
  readonly id: ChallengeId;
  readonly purpose: ChallengePurpose;
  /** The user, or the registration that will become one. */
  readonly subjectId: string;
  readonly method: SecondFactor;
  /** Keyed hash of the code that was sent; null where an authenticator makes it. */
  readonly codeMac: Buffer | null;
  readonly sessionId: SessionId | null;
  readonly operation: string | null;
  readonly deviceLabel: string | null;
}

/** Stores a challenge that lives for `seconds`; answers when it ends. */
export async function insertChallenge(
  em: EntityManager,
  challenge: Challenge,
  seconds: number,
): Promise<Date> {
  const { id, purpose, subjectId, method, codeMac, sessionId, operation, deviceLabel } = challenge;
  const inserted = await row<{ expires_at: Date }>(
    em,
    `insert into challenges
       (id, purpose, subject_id, method, code_mac, session_id, operation, device_label, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9)) returning expires_at`,
    [id, purpose, subjectId, method, codeMac, sessionId, operation, deviceLabel, seconds],
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
     returning id, purpose, subject_id as "subjectId", method, code_mac as "codeMac", session_id as "sessionId",
       operation, device_label as "deviceLabel"`,
    [id, purpose, sessionId],
  );
}

/** A challenge is answered once. */
export async function consumeChallenge(em: EntityManager, id: ChallengeId): Promise<void> {
  await rows(em, 'update challenges set consumed_at = now() where id = $1', [id]);
}

/** No login of this user that waits for its code goes on: its password was another one. */
export async function endLoginChallenges(em: EntityManager, userId: UserId): Promise<void> {
  await rows(
    em,
    `update challenges set consumed_at = now() where subject_id = $1 and purpose = 'login' and consumed_at is null`,
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
