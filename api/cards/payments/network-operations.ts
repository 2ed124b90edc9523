/** The door of the card network. */
import { isSigned, networkKeys } from '../../../adapters/card-network.ts';
import { answerMessage } from '../../../services/cards/network.ts';
import { forPartners } from '../../declaration/operation.ts';
import * as wire from './network-schemas.ts';

const BODY_BYTES = 20_000;

export const takeCardNetworkMessage = forPartners({
  id: 'takeCardNetworkMessage',
  area: 'Finance',
  title: 'Take message of the card network',
  description:
    'Takes a message of the card network and answers it, with 200 also when a payment is declined. `Network-Signature` is `t=<unix seconds>,kid=<id of the key>,v1=<hex HMAC-SHA256 of "<t>." and the raw body>`, not older than five minutes. A repeat of a message gets the same answer. After a 503 nothing has been decided, and the network stands in.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/cards/network/messages',
  // one call of the database decides, and is its own transaction
  effect: 'own_transactions',
  bodyLimit: BODY_BYTES,
  body: wire.CardNetworkMessage,
  status: 200,
  answer: wire.CardNetworkAnswer,
  refuses: [],
  beyond: true,
  verify: (rawBody, { 'network-signature': header }, { config }) =>
    Promise.resolve(
      typeof header === 'string' && isSigned(networkKeys(config.CARD_NETWORK_KEYS), rawBody, header),
    ),
  handle: ({ db, body, rawBody }, services) =>
    answerMessage(db, body, JSON.parse(rawBody.toString()), services),
});

/** In the order of the documentation. */
export const operations = [takeCardNetworkMessage];
