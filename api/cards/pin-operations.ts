/** What holders do with the PINs of their cards. A PIN comes in encrypted and never goes out. */
import { z } from 'zod';
import { CardId } from '../../domain/ids.ts';
import { setOwnPin, unlockOwnPin } from '../../services/cards/pins.ts';
import { forUsers } from '../declaration/operation.ts';
import * as wire from './schemas.ts';
import { cardView } from './views.ts';

const params = z.strictObject({ id: CardId });

export const listCardKeys = forUsers({
  id: 'listCardKeys',
  area: 'Finance',
  title: 'List card keys',
  description:
    'The public keys for which a client encrypts a PIN (RFC 7517), the newest first. Use the first one.',
  method: 'GET',
  path: '/v1/cards/keys',
  effect: 'read',
  status: 200,
  answer: wire.CardKeySet,
  refuses: [],
  beyond: true,
  handle: async (_request, { vault }) => ({ keys: [...vault.pins.keys] }),
});

export const setCardPin = forUsers({
  id: 'setCardPin',
  area: 'Finance',
  title: 'Set card PIN',
  description:
    'Sets or changes the PIN of a card, and unlocks it. The PIN, 4 to 12 digits, arrives encrypted for a key of `GET /v1/cards/keys`. What is kept cannot be turned back into a PIN. PINs that thieves try first are refused.',
  method: 'PUT',
  path: '/v1/cards/{id}/pin',
  effect: 'transaction',
  stepUp: true,
  params,
  body: wire.CardPinRequest,
  status: 200,
  answer: wire.Card,
  refuses: ['card_closed', 'weak_pin'],
  beyond: true,
  async handle(request, services) {
    return cardView(await setOwnPin(request, request.params.id, request.body.pin, services), services);
  },
});

export const unlockCardPin = forUsers({
  id: 'unlockCardPin',
  area: 'Finance',
  title: 'Unlock card PIN',
  description:
    'Lets a PIN be tried again that was locked after too many wrong tries. The PIN stays the same.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/cards/{id}/pin/unlock',
  effect: 'transaction',
  stepUp: true,
  params,
  status: 200,
  answer: wire.Card,
  refuses: ['card_closed', 'pin_unset'],
  beyond: true,
  async handle(request, services) {
    return cardView(await unlockOwnPin(request, request.params.id), services);
  },
});

/** In the order of the documentation. */
export const operations = [listCardKeys, setCardPin, unlockCardPin];
