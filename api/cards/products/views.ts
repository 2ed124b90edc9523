/** Card products as the wire shows them. */
import type { z } from 'zod';
import type {
  CardFeeRow,
  CardProductRow,
  OfferedCardProductRow,
} from '../../../db/queries/cards/products.ts';
import type { CardControl, CardLimit } from '../../../domain/cards/products.ts';
import { moneyIn } from '../../../domain/money.ts';
import { tariffView } from '../../pricing/fee-rules/views.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const adminView = viewOf(wire.AdminCardProduct);
const view = viewOf(wire.CardProduct);
const feeView = viewOf(wire.CardFee);

/** A product as the back office sees it. */
export function adminCardProductView(product: CardProductRow): z.output<typeof wire.AdminCardProduct> {
  const { asset: currency, holdRules, sca, scaRemote, standInLimit } = product;
  return adminView({
    ...product,
    ...shared(product),
    holdRules: holdRules.map(({ mcc, amount, ...rule }) => ({
      ...rule,
      mcc: [...mcc],
      amount: moneyOf(amount, currency),
    })),
    sca: {
      ...sca,
      amount: moneyOf(sca.amount, currency),
      remote: { ...scaRemote, amount: moneyIn(currency)(BigInt(scaRemote.amount)) },
    },
    standInLimit: moneyIn(currency)(standInLimit),
  });
}

/** A product as customers see it. */
export function cardProductView(
  product: OfferedCardProductRow & { readonly fees: readonly CardFeeRow[] },
): z.output<typeof wire.CardProduct> {
  const { schemeCode: code, schemeName: name, asset } = product;
  const fees = product.fees.map((fee) => feeView({ ...fee, ...tariffView(fee, asset) }));
  return view({ ...product, ...shared(product), paymentSystem: { code, name }, fees });
}

function shared({ asset: currency, accountTypeIds, ...terms }: CardProductRow) {
  return { currency, accountTypeIds: [...accountTypeIds], ...termsView(terms, currency) };
}

/** Controls and limits, of a product or those that count for a card. */
export function termsView<Control extends CardControl, Limit extends CardLimit>(
  { controls, limits }: { readonly controls: readonly Control[]; readonly limits: readonly Limit[] },
  currency: string,
) {
  return {
    controls: controls.map(({ values, ...control }) => ({ ...control, values: [...values] })),
    limits: limits.map(({ amount, scope, ...limit }) => ({
      ...limit,
      scope: typeof scope === 'string' ? scope : { mcc: [...scope.mcc] },
      amount: moneyOf(amount, currency),
    })),
  };
}

function moneyOf(minor: string | null, currency: string) {
  return minor === null ? null : moneyIn(currency)(BigInt(minor));
}
