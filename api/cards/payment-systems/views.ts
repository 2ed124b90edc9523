/** Payment systems of cards as the wire shows them. */
import type { z } from 'zod';
import type { PaymentSystemRow } from '../../../db/queries/cards/payment-systems.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const view = viewOf(wire.CardPaymentSystem);

export function paymentSystemView({
  ranges,
  ...system
}: PaymentSystemRow): z.output<typeof wire.CardPaymentSystem> {
  const iinRanges = ranges.map(({ first, last, issued }) => ({
    first: String(first),
    last: String(last),
    remaining: Number(last - first + 1n - issued),
  }));
  return view({ ...system, iinRanges });
}
