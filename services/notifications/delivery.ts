/** Delivering a message of the release before: read from its sealed row, sent, and erased there. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Cipher } from '../../adapters/cipher.ts';
import { OutcomeUnknown, RecipientRefused, type Mail, type Sms } from '../../adapters/mail.ts';
import { countAttempt, finishMessage, messageById } from '../../db/queries/notifications/messages.ts';
import type { MessageId } from '../../domain/ids.ts';
import { isMessageTemplate, messageTemplates } from '../../domain/notifications/messages.ts';
import type { MessageOutcome } from '../../workflows/message/contract.ts';
import { now } from '../../domain/time/now.ts';
import { openMessage } from './message-content.ts';
import { rendered, textFinder, type Speaker } from './texts/rendering.ts';

interface Ways {
  readonly cipher: Cipher;
  readonly mail: Mail;
  readonly sms: Sms;
  readonly log: Logger;
  readonly config: Speaker;
}

/** Sends it, once as far as can be told: a repeat carries the same Message-ID. Throws if the way out is closed for now. */
export async function deliverMessage(
  db: EntityManager,
  id: MessageId,
  { cipher, mail, sms, log, config }: Ways,
): Promise<MessageOutcome> {
  const message = await messageById.one(db, { id });
  const { status, template, channel, locale, sealedContent, createdAt } = message;
  if (status !== 'queued' || sealedContent === null) return status === 'delivered' ? 'delivered' : 'failed';
  if (!isMessageTemplate(template)) return giveUpMessage(db, id);
  // its process may have been started late, when Temporal was away: an old code would only confuse
  const isLate =
    now().getTime() - createdAt.getTime() > messageTemplates[template].deliverWithinSeconds * 1_000;
  if (isLate) return giveUpMessage(db, id);
  await countAttempt.run(db, { id });
  const { to, values } = openMessage(cipher, id, sealedContent);
  const variables = Object.keys(values).map(
    (name) => ({ name, type: 'text', sample: '', personal: true }) as const,
  );
  const nobody = { firstName: null, lastName: null, timeZone: null };
  const asked = { typeCode: template, channel, locale, values, variables, ...nobody };
  const said = await rendered(textFinder(db), config, asked);
  if (said === undefined) return giveUpMessage(db, id);
  try {
    if (channel === 'email') await mail.send({ to, subject: said.subject ?? '', text: said.body }, id);
    else await sms.send({ to, text: said.body }, id);
  } catch (error) {
    // what may have been taken is not sent a second time
    if (!(error instanceof RecipientRefused || error instanceof OutcomeUnknown)) throw error;
    log.warn({ messageId: id, template, fault: error.name }, 'a message was given up');
    return giveUpMessage(db, id);
  }
  return finish(db, id, 'delivered');
}

/** Its time is over, or nobody takes it: erases what it held. */
export function giveUpMessage(db: EntityManager, id: MessageId): Promise<MessageOutcome> {
  return finish(db, id, 'failed');
}

/** The first end stands; answers how it has ended. */
async function finish(db: EntityManager, id: MessageId, status: MessageOutcome): Promise<MessageOutcome> {
  await finishMessage.run(db, { id, status });
  const ended = await messageById.one(db, { id });
  return ended.status === 'delivered' ? 'delivered' : 'failed';
}
