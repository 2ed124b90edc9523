/** Delivering a message: read from its sealed row, sent, and erased there. The text never passes through a process. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Cipher } from '../../adapters/cipher.ts';
import { RecipientRefused, type Mail, type Sms } from '../../adapters/mail.ts';
import { countAttempt, finishMessage, messageById } from '../../db/queries/notifications/messages.ts';
import type { MessageId } from '../../domain/ids.ts';
import { isMessageTemplate, messageTemplates } from '../../domain/notifications/messages.ts';
import { renderMessage } from '../../domain/notifications/rendered-messages.ts';
import type { MessageOutcome } from '../../workflows/message/contract.ts';
import { openContent } from './messages.ts';

interface Ways {
  readonly cipher: Cipher;
  readonly mail: Mail;
  readonly sms: Sms;
  readonly log: Logger;
}

/** Sends it, once as far as can be told: a repeat carries the same Message-ID. Throws if the way out is closed for now. */
export async function deliverMessage(
  db: EntityManager,
  id: MessageId,
  { cipher, mail, sms, log }: Ways,
): Promise<MessageOutcome> {
  const message = await messageById.one(db, { id });
  const { status, template, sealedContent, createdAt } = message;
  if (status !== 'queued' || sealedContent === null) return status === 'delivered' ? 'delivered' : 'failed';
  if (!isMessageTemplate(template)) return giveUpMessage(db, id);
  // its process may have been started late, when Temporal was away: an old code would only confuse
  const isLate = Date.now() - createdAt.getTime() > messageTemplates[template].deliverWithinSeconds * 1_000;
  if (isLate) return giveUpMessage(db, id);
  await countAttempt.run(db, { id });
  const { to, values } = openContent(cipher, id, sealedContent);
  const { subject, text, short } = renderMessage(template, message.locale, values);
  try {
    if (message.channel === 'email') await mail.send({ to, subject, text }, id);
    else await sms.send({ to, text: short }, id);
  } catch (error) {
    if (!(error instanceof RecipientRefused)) throw error;
    log.warn({ messageId: id, template }, 'the recipient of a message was refused');
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
