/** The order of a customer's transfer: ids and numbers, no names. */
import type { AccountId, BeneficiaryId, QuoteId, TransferId, UserId } from '../ids.ts';
import { legsOf, storedPrice, type Price } from '../pricing/pricing.ts';
import type { TransferOrder } from './transfers.ts';

/** Where the money goes: an account of this bank, or somebody outside. */
export type OrderedPayee =
  { readonly account: { readonly id: AccountId } } | { readonly beneficiary: { readonly id: BeneficiaryId } };

/** Puts an order together; where nothing was priced it says no more than the amount. */
export function transferOrder(wanted: {
  readonly id: TransferId;
  readonly user: UserId;
  readonly type: string;
  readonly source: AccountId;
  readonly payee: OrderedPayee;
  readonly price: Price;
  readonly description: string;
  readonly quoteId?: QuoteId | undefined;
}): TransferOrder {
  const { user, payee, price, quoteId } = wanted;
  const stored = storedPrice(price);
  const legs = legsOf(price);
  return {
    id: wanted.id,
    kind: 'transfer',
    type: wanted.type,
    requestedBy: user,
    customerId: user,
    source: wanted.source,
    ...('beneficiary' in payee ? { beneficiaryId: payee.beneficiary.id } : { destination: payee.account.id }),
    asset: price.source.asset,
    amount: price.source.minor.toString(),
    ...(stored === undefined ? {} : { price: stored }),
    ...(legs === undefined
      ? {}
      : {
          legs,
          targetAsset: price.target.asset,
          targetAmount: price.target.minor.toString(),
          feeTotal: (price.totalDebit.minor - price.source.minor).toString(),
        }),
    description: wanted.description,
    ...(quoteId === undefined ? {} : { quoteId }),
  };
}
