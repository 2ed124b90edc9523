/** What the demo sends to the API and reads of its answers. */
import { z } from 'zod';

export const Account = z.looseObject({
  id: z.string(),
  number: z.string(),
  iban: z.string().nullable(),
  currency: z.string(),
  type: z.looseObject({ code: z.string() }),
});
export type Account = z.output<typeof Account>;

/** For answers of which nothing is needed. */
export const Anything = z.looseObject({});
export const Made = z.looseObject({ id: z.string() });

/** An amount on the wire. */
export function money(amount: string, currency = 'EUR') {
  return { amount, currency };
}
