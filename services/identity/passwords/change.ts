/** Changing one's own password. */
import { User } from '../../../db/schema/identity.ts';
import { forgetGuesses } from '../../../db/queries/identity/factors/guesses.ts';
import { passwordHashOf, replacePasswordHash } from '../../../db/queries/identity/people/people.ts';
import { transaction } from '../../../db/transaction.ts';
import { found } from '../../../domain/refusals.ts';
import type { OwnCall } from '../../callers.ts';
import type { Services } from '../../services.ts';
import { noteEvent } from '../events.ts';
import { tellUser } from '../notices.ts';
import { endLogins } from '../sessions/endings.ts';
import { ownWordsOf, refuseWeak } from './password-policy.ts';

const GUESSES_AT_ONES_PASSWORD = { points: 10, seconds: 3_600 };

/** Replaces the password and ends all other sessions. Opens its transaction itself: hashing takes its time, and none should wait for it. */
export async function changePassword(
  call: OwnCall<'invalid_credentials' | 'weak_password' | 'too_many_requests' | 'conflict'>,
  { cipher, passwords, sessions, throttles }: Services,
  { current, next }: { readonly current: string; readonly next: string },
): Promise<void> {
  const { caller, refusal } = call;
  const { id, sessionId } = caller;
  await throttles.take(call, 'own-password', id, GUESSES_AT_ONES_PASSWORD);
  const user = found(await call.db.findOne(User, id));
  const from = await passwordHashOf(call.db, id);
  if (from === null || !(await passwords.verify(from, current))) throw refusal('invalid_credentials');
  refuseWeak(call, next, ownWordsOf(user), '/new_password');
  const to = await passwords.hash(next);
  await transaction(call.db, async (db) => {
    if ((await replacePasswordHash.run(db, { id, from, to })) === 0) throw refusal('conflict');
    await forgetGuesses.run(db, { userId: id });
    const ended = await endLogins(db, { sessions }, id, { kept: sessionId, reason: 'password_changed' });
    await noteEvent({ ...call, db }, 'password.changed', caller, { after: { ended } });
    await tellUser(db, cipher, 'password_changed', { userId: id, email: user.email, locale: user.locale });
  });
}
