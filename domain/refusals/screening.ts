/** The money-laundering watch. */
import type { Entry } from './entry.ts';

export const screeningRefusals = {
  list_not_pending: {
    status: 409,
    title: 'List waits no longer',
    cause: 'The list is in force, or was refused, or does not wait for anybody.',
    cure: 'Read the lists again.',
  },
} as const satisfies Record<string, Entry>;
