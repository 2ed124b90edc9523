/** How the delivery of a message is found and started again once its process is lost. */
import { messageToDeliver } from '../../db/queries/notifications/messages.ts';
import { overdueMessages } from '../../db/queries/platform/overdue.ts';
import { MessageId } from '../../domain/ids.ts';
import { isMessageTemplate, messageTemplates } from '../../domain/notifications/messages.ts';
import type { MessageOrder } from '../../workflows/message/contract.ts';
import { messageProcess } from '../../workflows/message/process.ts';
import type { Recovery } from '../platform/recovery.ts';

export const messageRecovery: Recovery<MessageOrder> = {
  process: messageProcess,
  async orderOf(db, id) {
    const queued = await messageToDeliver.first(db, { id: MessageId.parse(id) });
    if (queued === undefined) return undefined;
    const { ageSeconds, ...message } = queued;
    // one of a template that is gone is given up by its first delivery, and erased
    const within = isMessageTemplate(message.template)
      ? messageTemplates[message.template].deliverWithinSeconds
      : 0;
    return { ...message, deliverWithinSeconds: Math.max(within - ageSeconds, LEAST_SECONDS) };
  },
  overdue: (db, page) => overdueMessages.all(db, page),
};

/** Time for one attempt, which gives up and erases what comes too late. */
const LEAST_SECONDS = 60;
