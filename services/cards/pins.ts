/** The PIN of a card, which arrives encrypted and is kept as a verification value. */
import { createHash } from 'node:crypto';
import { cardOf, type CardRow } from '../../db/queries/cards/cards.ts';
import { holderBornOn, setCardPin, unlockCardPin } from '../../db/queries/cards/pins.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { isWeakPin } from '../../domain/cards/weak-pins.ts';
import type { CardId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import type { OwnCall } from '../callers.ts';
import type { Services } from '../services.ts';

/** Sets or changes the PIN of the caller’s card. Refuses a weak PIN, and a message that is for another card or was used before. */
export async function setOwnPin(
  { db, actor, refusal }: OwnCall<'card_closed' | 'weak_pin'>,
  id: CardId,
  message: string,
  { vault }: Pick<Services, 'vault'>,
): Promise<CardRow> {
  found(await cardOf.first(db, { id, owner: actor.id }));
  const opened = await vault.pins.open(message);
  if (opened === undefined)
    throw faultIn('/pin', 'unreadable', 'is not a PIN encrypted for a key of GET /v1/cards/keys');
  if (opened.card_id !== id) throw faultIn('/pin', 'other_card', 'was encrypted for another card');
  const { dateOfBirth } = await holderBornOn.one(db, { person: actor.id });
  if (isWeakPin(opened.pin, dateOfBirth))
    throw refusal('weak_pin', {
      errors: [{ pointer: '/pin', code: 'weak_pin', detail: 'is a PIN that thieves try first' }],
    });
  const [{ keyId, value: verificationValue }] = vault.pins.values(id, opened.pin);
  const nonce = createHash('sha256').update(opened.nonce).digest();
  const made = await setCardPin.one(db, { card: id, person: actor.id, keyId, verificationValue, nonce });
  if (made.refusal === 'pin_message_used')
    throw faultIn('/pin', 'used', 'has set a PIN before; encrypt it again with another nonce');
  if (made.refusal !== null) throw refusal(made.refusal);
  await record(db, actor, { action: 'card.pin_set', subject: ['card', id] });
  return cardOf.one(db, { id, owner: actor.id });
}

/** Lets the caller’s PIN be tried again after too many wrong tries. It stays the same. */
export async function unlockOwnPin(
  { db, actor, refusal }: OwnCall<'card_closed' | 'pin_unset'>,
  id: CardId,
): Promise<CardRow> {
  const done = await unlockCardPin.one(db, { card: id, person: actor.id });
  if (done.refusal !== null) throw refusal(done.refusal);
  await record(db, actor, { action: 'card.pin_unlocked', subject: ['card', id] });
  return cardOf.one(db, { id, owner: actor.id });
}
