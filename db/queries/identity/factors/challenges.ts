/** Whatever waits for a code. Attempts are counted by the statement that allows them, so parallel guesses cannot pass the limit. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ChallengeId, UserId } from '../../../../domain/ids.ts';
import { id, integer, seconds, type RowOf } from '../../../rows/columns.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf, selectList } from '../../../rows/table-columns.ts';
import { Challenge as Table, User } from '../../../schema/identity.ts';

/** Most codes that are sent for one challenge after the first. */
const RESENDS_MAX = 3;
/** Between two codes for one challenge. */
const RESEND_PAUSE_SECONDS = 30;

const challenge = columnsOf(
  Table,
  'id',
  'purpose',
  'subjectId',
  'method',
  'codeMac',
  'sessionId',
  'operation',
  'deviceLabel',
  'deviceHash',
  'requestHash',
  'approval',
);
/**
 * What waits for a code. Its subject is the user, the registration that will become one, or the change of an address. `codeMac` is the
 * keyed hash of the code that was sent, and null if an authenticator makes it.
 */
export type Challenge = RowOf<typeof challenge>;

/** Stores a challenge that lives for `seconds`, and tells when it ends. */
export const insertChallenge = statement({
  name: 'insertChallenge',
  takes: { ...challenge, seconds: seconds() },
  gives: columnsOf(Table, 'expiresAt'),
  sql: `
    insert into challenges
      (id, purpose, subject_id, method, code_mac, session_id, operation, device_label, device_hash,
       request_hash, approval, expires_at)
    values ($id, $purpose, $subjectId, $method, $codeMac, $sessionId, $operation, $deviceLabel, $deviceHash,
      $requestHash, $approval, now() + make_interval(secs => $seconds))
    returning expires_at`,
});

/**
 * Counts one attempt and gives the challenge; none if it is unknown, of another purpose or session, answered, over its time, or
 * over its attempts. The row stays locked until the transaction ends.
 */
export const claimAttempt = statement({
  name: 'claimAttempt',
  takes: columnsOf(Table, 'id', 'purpose', 'sessionId'),
  gives: challenge,
  sql: `
    update challenges c set attempts = attempts + 1
     where id = $id and purpose = $purpose and session_id is not distinct from $sessionId
       and consumed_at is null and expires_at > now() and attempts < 5
    returning ${selectList(challenge, 'c')}`,
});

const lockingOwner = (name: string, strength: 'share' | 'no key update') =>
  statement({
    name,
    takes: columnsOf(Table, 'id'),
    gives: columnsOf(User, 'id'),
    sql: `
      select u.id from users u where u.id = (select c.subject_id from challenges c where c.id = $id)
         for ${strength} of u`,
  });

/**
 * Locks the row of the user whose challenge this is, before the challenge itself: whatever changes a credential locks in this order
 * too. Gives whose it is; none if it belongs to no user.
 */
export const lockOwner = lockingOwner('lockOwner', 'no key update');

/** As `lockOwner`, but several challenges are answered at once, and changes wait for them or they for a change. */
export const lockOwnerShared = lockingOwner('lockOwnerShared', 'share');

const resendableChallenge = { ...challenge, waitSeconds: integer() };
const challengeToResend = statement({
  name: 'challengeToResend',
  takes: { ...columnsOf(Table, 'id'), most: integer(), pauseSeconds: integer() },
  gives: resendableChallenge,
  sql: `
    select ${selectList(challenge, 'c')},
           greatest(0, ceil(extract(epoch from sent_at - now()) + $pauseSeconds::integer))::int as wait_seconds
      from challenges c
     where id = $id and method <> 'totp' and purpose <> 'reset_password' and consumed_at is null and attempts < 5
       and resends < $most and (expires_at > now() or purpose not in ('login', 'step_up'))`,
});

/**
 * A challenge whose code can be sent once more, in so many seconds; undefined otherwise. A registration or a change of an address
 * outlives its code; a login does not. Who has forgotten the password asks anew.
 */
export function resendable(
  db: EntityManager,
  id: ChallengeId,
): Promise<RowOf<typeof resendableChallenge> | undefined> {
  return challengeToResend.first(db, { id, most: RESENDS_MAX, pauseSeconds: RESEND_PAUSE_SECONDS });
}

const renewedCode = { ...columnsOf(Table, 'expiresAt'), resendsLeft: integer() };
/** How a code stands after it was exchanged for another. */
export type RenewedCode = RowOf<typeof renewedCode>;

const exchangeCode = statement({
  name: 'exchangeCode',
  takes: {
    ...columnsOf(Table, 'id', 'codeMac'),
    ...{ seconds: seconds(), most: integer(), pauseSeconds: seconds() },
  },
  gives: renewedCode,
  sql: `
    update challenges
       set code_mac = $codeMac, resends = resends + 1, sent_at = now(),
           expires_at = now() + make_interval(secs => $seconds)
     where id = $id and consumed_at is null and attempts < 5 and resends < $most
       and sent_at <= now() - make_interval(secs => $pauseSeconds)
    returning expires_at, $most - resends as resends_left`,
});

/** Puts another code in the place of the one that was sent; undefined if it was just sent again, or may not be any more. */
export function renewCode(
  db: EntityManager,
  code: { readonly id: ChallengeId; readonly codeMac: Buffer; readonly seconds: number },
): Promise<RenewedCode | undefined> {
  return exchangeCode.first(db, { ...code, most: RESENDS_MAX, pauseSeconds: RESEND_PAUSE_SECONDS });
}

/** A challenge is answered once. */
export const consumeChallenge = statement({
  name: 'consumeChallenge',
  takes: columnsOf(Table, 'id'),
  gives: {},
  sql: 'update challenges set consumed_at = now() where id = $id',
});

/** No login, step-up or new password of this user that waits for its code goes on: the credential it began with was another one. */
export const endChallenges = statement({
  name: 'endChallenges',
  takes: { userId: id<UserId>() },
  gives: {},
  sql: `
    update challenges set consumed_at = now()
     where subject_id = $userId and purpose in ('login', 'step_up', 'reset_password') and consumed_at is null`,
});
