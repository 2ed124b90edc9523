/** PINs of cards. Their verification values go in and never come out. */
import type { UserId } from '../../../domain/ids.ts';
import { bytes, day, id, oneOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { Card, CardPin } from '../../schema/cards.ts';

const { id: card } = columnsOf(Card, 'id');

/** Sets the PIN of a card, or says why not. `nonce` is the hash of what makes its message unique. */
export const setCardPin = statement({
  name: 'setCardPin',
  takes: {
    card,
    person: id<UserId>(),
    ...columnsOf(CardPin, 'keyId', 'verificationValue'),
    nonce: bytes(),
  },
  gives: { refusal: oneOf(['not_found', 'card_closed', 'pin_message_used']).nullable() },
  sql: 'select card_pin_set($card, $person, $keyId, $verificationValue, $nonce) as refusal',
});

/** When the holder of a PIN was born, as far as the bank knows. */
export const holderBornOn = statement({
  name: 'holderBornOn',
  takes: { person: id<UserId>() },
  gives: { dateOfBirth: day().nullable() },
  sql: 'select u.date_of_birth from users u where u.id = $person',
});

/** Lets a locked PIN be tried again, or says why not. */
export const unlockCardPin = statement({
  name: 'unlockCardPin',
  takes: { card, person: id<UserId>() },
  gives: { refusal: oneOf(['not_found', 'card_closed', 'pin_unset']).nullable() },
  sql: 'select card_pin_unlock($card, $person) as refusal',
});
