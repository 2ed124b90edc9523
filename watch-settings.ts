/** The settings of the money-laundering watch. */
import { z } from 'zod';

/** From which score a name counts as found, and how old a list may be. */
export const watchSettings = {
  AML_LIST_MAX_AGE_DAYS: z.coerce
    .number()
    .min(1)
    .default(7)
    .describe('days after which a sanctions list in force is stale and raises an alarm'),
  AML_STALE_LIST: z
    .enum(['alarm', 'hold'])
    .default('alarm')
    .describe(
      'what a stale sanctions list, or none in force, does: `alarm` only, or `hold` payments that leave the bank as well',
    ),
  AML_MATCH_THRESHOLD: z.coerce
    .number()
    .int()
    .min(50)
    .max(100)
    .default(70)
    .describe('score from 50 to 100 at which a name counts as found on a sanctions list'),
};
