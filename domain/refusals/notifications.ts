/** Notifications. */
import type { Entry } from './entry.ts';

export const notificationRefusals = {
  notification_mandatory: {
    status: 409,
    title: 'Mandatory notification',
    cause:
      'The type is mandatory: it cannot be switched off or sent by hand, and one way to say it always stays.',
    cure: 'Leave at least one channel, and one live template of each channel.',
  },
  notification_type_disabled: {
    status: 409,
    title: 'Notification type is switched off',
    cause: 'Nobody is told of a type that is switched off.',
    cure: 'Switch the type on first.',
  },
  push_not_offered: {
    status: 409,
    title: 'No push messages',
    cause: 'The bank sends no push messages to browsers.',
    cure: 'Leave the channel out; mail, text messages and the feed say the same.',
  },
} as const satisfies Record<string, Entry>;
