/** Delivering a message: read from its sealed row, sent, and erased there. The text never passes through a process. */
import { RecipientRefused } from '../adapters/mail.ts';
import { openContent } from '../services/notifications/messages.ts';
import { Message } from '../db/schema/notifications.ts';
import type { MessageId } from '../domain/ids.ts';
import {
  isMessageTemplate,
  messageTemplates,
  type MessageTemplate,
} from '../domain/notifications/messages.ts';
import { renderMessage } from '../domain/notifications/rendered-messages.ts';
import type { MessageOutcome, MessageActivities } from '../workflows/message/contract.ts';
import type { ActivityDeps } from './deps.ts';

export function messageActivities({
  em,
  cipher,
  mail,
  sms,
  log,
}: Pick<ActivityDeps, 'em' | 'cipher' | 'mail' | 'sms' | 'log'>): MessageActivities {
  async function finish(id: MessageId, status: MessageOutcome): Promise<MessageOutcome> {
    await em().nativeUpdate(
      Message,
      { id, status: 'queued' },
      { status, sealedContent: null, finishedAt: new Date() },
    );
    const { status: stands } = await em().findOneOrFail(Message, id);
    return stands === 'delivered' ? 'delivered' : 'failed';
  }

  return {
    async deliverMessage(id) {
      const db = em();
      const message = await db.findOneOrFail(Message, id);
      if (message.status !== 'queued' || message.sealedContent == null)
        return message.status === 'delivered' ? 'delivered' : 'failed';
      if (!isMessageTemplate(message.template) || isLate(message, message.template))
        return finish(id, 'failed');
      await db.nativeUpdate(Message, id, { attempts: message.attempts + 1 });
      const { to, values } = openContent(cipher, id, message.sealedContent);
      const { subject, text, short } = renderMessage(message.template, message.locale, values);
      try {
        if (message.channel === 'email') await mail.send({ to, subject, text }, id);
        else await sms.send({ to, text: short }, id);
      } catch (error) {
        if (!(error instanceof RecipientRefused)) throw error;
        log.warn({ messageId: id, template: message.template }, 'the recipient of a message was refused');
        return finish(id, 'failed');
      }
      return finish(id, 'delivered');
    },

    giveUpMessage: (id) => finish(id, 'failed'),
  };
}

/** Its process may have been started late, when Temporal was away: an old code would only confuse. */
function isLate({ createdAt }: Pick<Message, 'createdAt'>, template: MessageTemplate): boolean {
  return Date.now() - createdAt.getTime() > messageTemplates[template].deliverWithinSeconds * 1_000;
}
