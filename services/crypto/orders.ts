/** Buying and selling coins: a binding quote, and an order that uses it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  cryptoOrderOf,
  cryptoQuoteOf,
  fillOrder,
  makeQuote,
  openOrder,
  orderTerms,
  overdueOrders,
  placeOrder,
  type CryptoOrderRow,
  type CryptoQuoteRow,
  type OrderTerms,
} from '../../db/queries/crypto/orders.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import { coinRoad, priceOrder, type OrderPrice, type OrderSide } from '../../domain/crypto/orders.ts';
import { CryptoOrderId, CryptoQuoteId, type AccountId } from '../../domain/ids.ts';
import { formatAmount, formatMoney, type Money } from '../../domain/money.ts';
import { storedPrice } from '../../domain/pricing/pricing.ts';
import { found } from '../../domain/refusals.ts';
import { machineNow } from '../../domain/time/now.ts';
import type { FilledOrder, OrderOfCoins } from '../../workflows/crypto-order/contract.ts';
import { orderProcess } from '../../workflows/crypto-order/process.ts';
import { minorIn } from '../amounts.ts';
import type { OwnCall } from '../callers.ts';
import type { Recovery } from '../platform/recovery.ts';

/** What a customer wants to trade; one of the two amounts is given. */
export interface WantedTrade {
  readonly side: OrderSide;
  readonly asset: string;
  readonly account: AccountId;
  readonly spend?: Money | undefined;
  readonly receive?: Money | undefined;
}

type Quoting = Pick<
  OwnCall<
    | 'crypto_asset_unavailable'
    | 'price_unavailable'
    | 'rate_unavailable'
    | 'amount_not_convertible'
    | 'order_too_small'
    | 'order_too_large'
  >,
  'db' | 'caller' | 'refusal'
> & { readonly newId: string; readonly isRepeat: boolean };

/** Says what a trade costs now, and keeps that for a minute. A repeat says what was said first. */
export async function quoteTrade(call: Quoting, wanted: WantedTrade): Promise<CryptoQuoteRow> {
  const { db, caller, newId, isRepeat, refusal } = call;
  const mine = { id: CryptoQuoteId.parse(newId), userId: caller.id };
  const made = isRepeat ? await cryptoQuoteOf.first(db, mine) : undefined;
  if (made !== undefined) return made;
  const terms = found(
    await orderTerms.first(db, { account: wanted.account, owner: caller.id, coin: wanted.asset }),
  );
  if (!terms.enabled) throw refusal('crypto_asset_unavailable');
  const { priceId, price: coinPrice, pricedAt, sources } = terms;
  if (priceId === null || coinPrice === null || pricedAt === null || sources === null)
    throw refusal('price_unavailable');
  const price = priceNow(call, wanted, terms, { id: priceId, price: coinPrice, pricedAt });
  const stored = storedPrice({ ...price.conversion, fees: price.fees, totalDebit: price.spend });
  if (stored === undefined) throw new Error('a trade without an exchange');
  const gross = wanted.side === 'buy' ? price.spend.minor : price.subtotal.minor;
  const fee = price.fees.reduce((sum, { minor }) => sum + minor, 0n);
  const coins = wanted.side === 'buy' ? price.receive.minor : price.spend.minor;
  const kept = await makeQuote.one(db, {
    quote: {
      ...{ id: mine.id, user_id: caller.id, side: wanted.side, account_id: wanted.account },
      ...{ currency: terms.currency, asset: wanted.asset, price: stored },
      ...{ price_id: priceId, mid_price: price.midPrice },
      ...{ gross: gross.toString(), fee: fee.toString(), coins: coins.toString() },
    },
  });
  if (kept.refusal !== null)
    throw refusal(kept.refusal, kept.refusal.startsWith('order_') ? { members: boundsOf(terms) } : {});
  if (kept.expiresAt === null) return cryptoQuoteOf.one(db, mine);
  return {
    ...{ id: mine.id, expiresAt: kept.expiresAt, side: wanted.side, accountId: wanted.account },
    ...{ currency: terms.currency, asset: wanted.asset, gross, fee, coins, price: stored },
    ...{ midPrice: price.midPrice, pricedAt, sources },
  };
}

function priceNow(
  { refusal }: Pick<Quoting, 'refusal'>,
  { side, asset: coin, spend, receive }: WantedTrade,
  { currency, baseAsset, spreadBps, fees, rates }: OrderTerms,
  price: { readonly id: string; readonly price: string; readonly pricedAt: Date },
): OrderPrice {
  const [spent, received] = side === 'buy' ? [currency, coin] : [coin, currency];
  const fixed =
    spend === undefined
      ? ({
          side: 'receive',
          minor: receive === undefined ? 0n : minorIn(received, '/receive', receive),
        } as const)
      : ({ side: 'spend', minor: minorIn(spent, '/spend', spend) } as const);
  const market = { side, coin, currency, baseAsset, price, spreadBps, rates, fees };
  const road = coinRoad(market);
  if (road === null) throw refusal('rate_unavailable');
  const priced = priceOrder(market, road, fixed);
  if (priced === null) throw refusal('amount_not_convertible');
  return priced;
}

const boundsOf = ({ minOrder, maxOrder, baseAsset }: OrderTerms) => ({
  min_order: formatMoney({ minor: minOrder, asset: baseAsset }),
  max_order: maxOrder === null ? null : formatMoney({ minor: maxOrder, asset: baseAsset }),
});

type Ordering = Pick<
  OwnCall<
    | 'quote_used'
    | 'quote_expired'
    | 'limit_exceeded'
    | 'account_closed'
    | 'account_blocked'
    | 'debits_stopped'
    | 'insufficient_funds'
  >,
  'db' | 'actor' | 'caller' | 'refusal'
> & { readonly newId: string };

/** Takes an order for a quote of the caller, and holds what it pays until its process has carried it out. */
export async function orderByQuote(
  { db, actor, caller, newId, refusal }: Ordering,
  quote: CryptoQuoteId,
): Promise<CryptoOrderRow> {
  const id = CryptoOrderId.parse(newId);
  const placed = await placeOrder.one(db, { order: id, quote, customer: caller.id });
  if (placed.refusal !== null) throw refusal(placed.refusal, { members: placed.members ?? {} });
  await launch(db, orderProcess, { id, customerId: caller.id });
  const order = await cryptoOrderOf.one(db, { id, userId: caller.id });
  const { side, accountId, asset, currency } = order;
  await record(db, actor, {
    action: 'crypto_order.placed',
    subject: ['crypto_order', id],
    after: {
      ...{ side, account_id: accountId, quote_id: quote },
      coins: { amount: formatAmount({ minor: order.coins, asset }), asset },
      money: { ...formatMoney({ minor: order.gross, asset: currency }) },
    },
  });
  return order;
}

/** Carries an order out, once. */
export function carryOutOrder(db: EntityManager, order: CryptoOrderId): Promise<FilledOrder> {
  return fillOrder.one(db, { order, clock: machineNow() });
}

export const orderRecovery: Recovery<OrderOfCoins> = {
  process: orderProcess,
  async orderOf(db, id) {
    const order = CryptoOrderId.parse(id);
    const known = await openOrder.first(db, { id: order });
    return known && { id: order, customerId: known.userId };
  },
  overdue: (db, page) => overdueOrders.all(db, page),
};
