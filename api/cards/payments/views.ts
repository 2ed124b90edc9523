/** Card payments as the wire shows them. */
import type { z } from 'zod';
import type { CardPaymentRow } from '../../../db/queries/cards/payments.ts';
import { IRREGULARITIES, type StoredDecline } from '../../../domain/cards/payments.ts';
import { moneyIn, parseMoney, type Money } from '../../../domain/money.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const view = viewOf(wire.CardPayment);

export function cardPaymentView(payment: CardPaymentRow): z.output<typeof wire.CardPayment> {
  const { asset, decline, declinedAt, merchantAmount, merchantAsset } = payment;
  const money = moneyIn(asset);
  return view({
    ...payment,
    paymentId: payment.networkId,
    authorised: money(payment.authorised),
    reversed: money(payment.reversed),
    cleared: money(payment.cleared),
    refunded: money(payment.refunded),
    held: money(payment.held),
    merchantAmount:
      merchantAmount === null || merchantAsset === null ? null : moneyIn(merchantAsset)(merchantAmount),
    decline: decline && declinedAt && { ...declineView(decline, asset), at: declinedAt },
    irregularities: payment.irregularities.map(({ code, at }) => ({
      code,
      at,
      message: IRREGULARITIES[code],
    })),
  });
}

function declineView({ reason, rule, limit, used, remaining }: StoredDecline, currency: string) {
  const part = (value: string | number | undefined): Money | number | null => {
    if (typeof value !== 'string') return value ?? null;
    const money = parseMoney({ amount: value, currency });
    return typeof money === 'string' ? null : money;
  };
  return { reason, rule, limit: part(limit), used: part(used), remaining: part(remaining) };
}
