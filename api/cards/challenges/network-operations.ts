/** Where the card network asks who pays online (3-D Secure). */
import { answerAuthentication } from '../../../services/cards/authentications.ts';
import { forPartners } from '../../declaration/operation.ts';
import { isNetworkSigned } from '../payments/network-operations.ts';
import * as wire from './schemas.ts';

export const takeCardAuthentication = forPartners({
  id: 'takeCardAuthentication',
  area: 'Finance',
  title: 'Take authentication of the card network',
  description:
    'Answers whether the holder of a card is at the other end of an online payment, signed as messages of the card network are. Small payments are authenticated at once; otherwise the holder is asked, and the same request again says how it is by then. Another request with the same id is refused as `contradiction`.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/cards/network/authentications',
  effect: 'transaction',
  body: wire.CardAuthenticationRequest,
  status: 200,
  answer: wire.CardAuthenticationAnswer,
  refuses: [],
  beyond: true,
  verify: isNetworkSigned,
  handle({ db, body, rawBody }, services) {
    const content: unknown = JSON.parse(rawBody.toString());
    return answerAuthentication(db, body, content, services);
  },
});

/** In the order of the documentation. */
export const operations = [takeCardAuthentication];
