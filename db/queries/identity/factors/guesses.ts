/** Wrong codes of a user in the running hour, by purpose and by where they come from. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SessionId, UserId } from '../../../../domain/ids.ts';
import { boolean, text } from '../../../rows/columns.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf } from '../../../rows/table-columns.ts';
import { CodeGuess, Session } from '../../../schema/identity.ts';

const whose = columnsOf(CodeGuess, 'userId', 'purpose');
const guess = { ...whose, device: text().nullable(), network: text() };

/** Who guesses at what, and from where. */
export interface Guess {
  readonly userId: UserId;
  readonly purpose: CodeGuess['purpose'];
  /** The device of a login; null if the session knows it, or if there is none. */
  readonly deviceHash: Buffer | null;
  readonly sessionId: SessionId | null;
  /** As throttles group addresses. */
  readonly network: string;
}

/** Counts a guess ahead of looking at it. False if those of the running hour are used up where it comes from. */
export async function claimGuess(db: EntityManager, wanted: Guess): Promise<boolean> {
  return (await claim.one(db, await placed(db, wanted))).allowed;
}

/** The guess was right, so it does not count, and strangers cannot use up the guesses of its device any more. */
export async function refundGuess(db: EntityManager, wanted: Guess): Promise<void> {
  await refund.run(db, await placed(db, wanted));
}

/** Whoever has set a new password is not kept out by guesses of whoever knew the old one. */
export const forgetGuesses = statement({
  name: 'forgetGuesses',
  takes: { userId: whose.userId },
  gives: {},
  sql: 'update code_guesses set failures = 0 where user_id = $userId and failures > 0',
});

async function placed(db: EntityManager, { userId, purpose, deviceHash, sessionId, network }: Guess) {
  const hash =
    deviceHash ?? (sessionId === null ? null : (await deviceOf.first(db, { id: sessionId }))?.deviceHash);
  const device = hash == null ? null : `device:${hash.toString('hex')}`;
  return { userId, purpose, device, network: `network:${network}` };
}

const claim = statement({
  name: 'claimGuess',
  takes: guess,
  gives: { allowed: boolean() },
  sql: 'select claim_guess($userId, $purpose, $device, $network) as allowed',
});

const refund = statement({
  name: 'refundGuess',
  takes: guess,
  gives: {},
  sql: 'select from refund_guess($userId, $purpose, $device, $network)',
});

const deviceOf = statement({
  name: 'deviceOfSession',
  takes: columnsOf(Session, 'id'),
  gives: columnsOf(Session, 'deviceHash'),
  sql: 'select device_hash from sessions where id = $id',
});
