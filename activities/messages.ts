/** Delivering a message of the release before. */
import { deliverMessage, giveUpMessage } from '../services/notifications/delivery.ts';
import type { MessageActivities } from '../workflows/message/workflow.ts';
import type { ActivityDeps } from './deps.ts';

type Needs = Pick<ActivityDeps, 'em' | 'cipher' | 'mail' | 'sms' | 'log' | 'config'>;

export function messageActivities({ em, ...ways }: Needs): MessageActivities {
  return {
    deliverMessage: (id) => deliverMessage(em(), id, ways),
    giveUpMessage: (id) => giveUpMessage(em(), id),
  };
}
