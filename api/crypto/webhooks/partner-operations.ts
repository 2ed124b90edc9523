/** The door of the custodian. */
import type { z } from 'zod';
import type { Refusal } from '../../../domain/refusals.ts';
import { keepEvent, keepUnreadable } from '../../../services/crypto/custody-events.ts';
import type { Services } from '../../../services/services.ts';
import { forPartners, type UnreadMessage, type Verify } from '../../declaration/operation.ts';
import { MessageResponse } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';

/** A transaction with hundreds of outputs stays below. */
const BODY_BYTES = 262_144;

type Answer = z.output<typeof MessageResponse>;

/** Whether the custodian has signed this body. It repeats what nobody can judge now. */
const isCustodianSigned: Verify = async (
  rawBody,
  { 'fireblocks-webhook-signature': header },
  { custodianKeys },
) => {
  const verdict = await custodianKeys.judge(rawBody, typeof header === 'string' ? header : undefined);
  return verdict === 'unknown' ? verdict : verdict === 'signed';
};

export const takeCustodianWebhook = forPartners({
  id: 'takeCustodianWebhook',
  area: 'Crypto',
  title: 'Custodian webhook',
  description:
    'Takes an event of the custodian and keeps it, once, to be processed later. `Fireblocks-Webhook-Signature` is a detached JWS (RS512) over the raw body, by a key of the JWKS at `CUSTODIAN_JWKS_URL`. What is signed is answered with 200 even if it is a repeat or cannot be read, because the custodian never repeats what was refused. With 503 nothing was kept, and the custodian repeats it: the database, or the keys of the custodian, cannot be reached.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/crypto/webhooks/custodian',
  // one call of the database keeps it, and is its own transaction
  effect: 'own_transactions',
  bodyLimit: BODY_BYTES,
  body: wire.CustodianEvent,
  status: 200,
  answer: MessageResponse,
  refuses: [],
  verify: isCustodianSigned,
  unreadable: keepAside,
  async handle({ db, body, rawBody }, services) {
    const { id, eventType: type, resourceId, data } = body;
    const resource = resourceId ?? data?.id ?? null;
    return answerTo(await keepEvent(db, rawBody, { id, type, resource }, services));
  },
});

/** Keeps what is signed and cannot be read, so that somebody can look at it. */
async function keepAside({ db, rawBody }: UnreadMessage, why: Refusal, services: Services): Promise<Answer> {
  const [fault] = why.options.errors ?? [];
  return answerTo(await keepUnreadable(db, rawBody, fault?.code ?? why.code, services));
}

const answerTo = (isNew: boolean): Answer => ({ message: isNew ? 'Kept.' : 'Known already.' });

/** In the order of the documentation. */
export const operations = [takeCustodianWebhook];
