/** The door of the card network. */
import type { z } from 'zod';
import { isSigned, networkKeys } from '../../../adapters/card-network.ts';
import { ANSWER_TYPES, RESPONSE_CODES } from '../../../domain/cards/payments.ts';
import type { Refusal } from '../../../domain/refusals.ts';
import { answerMessage } from '../../../services/cards/network.ts';
import type { Services } from '../../../services/services.ts';
import { forPartners, type UnreadMessage, type Verify } from '../../declaration/operation.ts';
import { isUndecided } from '../../pipeline/http/faults.ts';
import * as wire from './network-schemas.ts';

const BODY_BYTES = 20_000;

/** Whether the card network has signed this body. */
export const isNetworkSigned: Verify = (rawBody, { 'network-signature': header }, { config }) =>
  Promise.resolve(
    typeof header === 'string' && isSigned(networkKeys(config.CARD_NETWORK_KEYS), rawBody, header),
  );

export const takeCardNetworkMessage = forPartners({
  id: 'takeCardNetworkMessage',
  area: 'Finance',
  title: 'Take message of the card network',
  description:
    'Takes a message of the card network and answers it, with 200 also when a payment is declined or a signed message cannot be read (`format_error`). `Network-Signature` is `t=<unix seconds>,kid=<id of the key>,v1=<hex HMAC-SHA256 of "<t>." and the raw body>`, not older than five minutes. A repeat of a message gets the same answer. After a 503 nothing has been decided, and the network stands in.',
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
  verify: isNetworkSigned,
  unreadable: cannotRead,
  async handle({ db, body, rawBody }, services) {
    const content: unknown = JSON.parse(rawBody.toString());
    try {
      return await answerMessage(db, body, content, services);
    } catch (error) {
      // it may have been decided although the answer was lost: the same key finds out
      if (!isUndecided(error)) throw error;
      return answerMessage(db.fork(), body, content, services);
    }
  },
});

/**
 * The answer to a message that is signed and cannot be read, with as much of its key as there is. The network does not send it again, so
 * somebody has to look at what has happened.
 */
function cannotRead(
  { body }: UnreadMessage,
  { options }: Refusal,
  { log }: Pick<Services, 'log'>,
): z.output<typeof wire.CardNetworkAnswer> {
  const { type, payment_id, stan, rrn } = wire.ReadableKey.parse(body);
  const faults = options.errors?.map(({ pointer, code }) => `${pointer} ${code}`);
  const about = { type, paymentId: payment_id, stan, rrn, faults };
  if (type === '0100') log.warn(about, 'a request of the card network cannot be read');
  else
    log.error({ ...about, alert: 'card_message_unreadable' }, 'what has happened with a card cannot be read');
  return {
    ...{ type: ANSWER_TYPES[type], payment_id, stan, rrn },
    response_code: RESPONSE_CODES.format_error,
    ...{ reason: 'format_error', approval_code: null, approved: null, balance: null },
  };
}

/** In the order of the documentation. */
export const operations = [takeCardNetworkMessage];
