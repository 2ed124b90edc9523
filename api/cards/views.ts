/** Cards as the wire shows them: never more of a number than its last four digits. */
import type { z } from 'zod';
import type { CardRow } from '../../db/queries/cards/cards.ts';
import { expiryOf } from '../../domain/cards/cards.ts';
import { moneyIn } from '../../domain/money.ts';
import { openShipping } from '../../services/cards/issuing.ts';
import type { Services } from '../../services/services.ts';
import { viewOf } from '../wire/rows.ts';
import { termsView } from './products/views.ts';
import * as wire from './schemas.ts';

const view = viewOf(wire.Card);

export function cardView(card: CardRow, { cipher }: Pick<Services, 'cipher'>): z.output<typeof wire.Card> {
  const { asset, singleUseAmount, sealedShipping } = card;
  return view({
    ...card,
    ...termsView(card, asset),
    product: {
      ...{ id: card.productId, code: card.productCode },
      ...{ name: card.productName, version: card.productVersion },
    },
    expiry: expiryOf(card.expiresOn),
    merchantId: card.merchant,
    amount: singleUseAmount === null ? null : moneyIn(asset)(singleUseAmount),
    shipping: sealedShipping && {
      address: openShipping(sealedShipping, card.id, cipher),
      sent_at: card.shippedAt,
    },
  });
}
