/** Changing one's own email address or phone number: asked for with a step-up, done once the new one is proven. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { addressIsSuppressed } from '../../../db/queries/notifications/bounces.ts';
import { User } from '../../../db/schema/identity.ts';
import { factorsOf } from '../../../db/queries/identity/factors/factors.ts';
import { transaction } from '../../../db/transaction.ts';
import type { ChallengeId } from '../../../domain/ids.ts';
import type { ContactKind } from '../../../domain/identity/people.ts';
import { faultIn, found, type Refusal } from '../../../domain/refusals.ts';
import type { OwnCall } from '../../callers.ts';
import type { Services } from '../../services.ts';
import { noteEvent, noteFailure } from '../events.ts';
import { originOf, tooManyGuesses, type OpenChallenge } from '../factors/challenges.ts';
import { limitChanges } from '../factors/sent-codes.ts';
import { lockOwnFactors } from '../factors/settings.ts';
import { completeContactChange, openContactChange } from './contact-changes.ts';

/**
 * Sends a code to the new address or number, or to the present address if mail to it came back: proving it again lets mail go there. Opens
 * its transaction itself.
 */
export async function askForContact(
  call: OwnCall<'too_many_requests'>,
  { cipher, throttles }: Services,
  wish: { readonly id: string; readonly kind: ContactKind; readonly value: string },
): Promise<OpenChallenge> {
  const { caller, refusal } = call;
  const { kind, value } = wish;
  const person = await factorsOf.first(call.db, { userId: caller.id });
  // the call was let in, and the user blocked since
  if (person === undefined) throw refusal('unauthenticated');
  if (value === person[kind] && !(kind === 'email' && (await isWrittenToNoMore(call.db, value))))
    throw faultIn(`/${kind}`, 'unchanged', 'is the present one');
  await limitChanges(call, throttles, caller.id);
  return transaction(call.db, async (db) => {
    const opened = await openContactChange(db, cipher, { ...wish, person });
    await noteEvent({ ...call, db }, 'contact.change_asked', caller, { after: { kind } });
    return opened;
  });
}

/** Takes the code of the new address or number, which replaces the old one. A refusal is returned, because the attempt must be counted. */
export async function proveContact(
  call: OwnCall<'invalid_code' | 'too_many_requests' | 'conflict'>,
  { cipher }: Services,
  answer: { readonly id: ChallengeId; readonly code: string; readonly kind: ContactKind },
): Promise<User | Refusal> {
  const { db, caller, refusal } = call;
  const { kind } = answer;
  const person = await lockOwnFactors(call);
  const outcome = await completeContactChange(db, cipher, { ...answer, person, from: originOf(call) });
  switch (outcome) {
    case 'wrong':
    case 'exhausted':
      await noteFailure(call, 'code.failed', ['user', caller.id]);
      return outcome === 'wrong' ? refusal('invalid_code') : tooManyGuesses(call);
    case 'taken':
      return refusal('conflict', { detail: 'It belongs to another login.' });
    case 'proven':
      await noteEvent(call, `${kind}.proven`, caller);
      return found(await db.findOne(User, caller.id));
    case 'changed': {
      const user = found(await db.findOne(User, caller.id));
      // a login that was taken over is given back by what it was before
      const change = { before: { [kind]: person[kind] }, after: { [kind]: user[kind] } };
      await noteEvent(call, `${kind}.changed`, caller, change);
      return user;
    }
  }
}

async function isWrittenToNoMore(db: EntityManager, address: string): Promise<boolean> {
  return (await addressIsSuppressed.one(db, { address })).suppressed;
}
