/** The money-laundering watch. */
import type { Entry } from './entry.ts';

export const amlRefusals = {
  rule_too_costly: {
    status: 409,
    title: 'Rule too costly',
    cause:
      'At every payment the rule would read more movements of a customer than is allowed: `movements` is the estimate, `most` what is allowed.',
    cure: 'Choose a shorter window, or count and sum without `where`: these are kept as counters.',
  },
} as const satisfies Record<string, Entry>;
