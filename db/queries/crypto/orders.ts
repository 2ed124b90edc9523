/** Quotes and orders of coins. Functions of the database write them (db/functions/crypto-orders.sql). */
import { z } from 'zod';
import { ORDER_FAILURES, ORDER_STATUSES, type OrderSide } from '../../../domain/crypto/orders.ts';
import { SourcePrices } from '../../../domain/crypto/prices.ts';
import type { AccountId, CryptoOrderId, CryptoQuoteId, UsedPriceId, UserId } from '../../../domain/ids.ts';
import { StoredPrice } from '../../../domain/pricing/pricing.ts';
import {
  bigCount,
  decimal,
  id,
  integer,
  json,
  moment,
  oneOf,
  ownJson,
  text,
  type RowOf,
} from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { CryptoAsset, UsedPrice } from '../../schema/crypto.ts';
import { CryptoOrder, CryptoQuote } from '../../schema/crypto-orders.ts';
import { FEES, feesInForce, RATES, ratesInForce } from '../pricing/prices-in-force.ts';

const terms = columnsOf(CryptoAsset, 'enabled', 'spreadBps', 'minOrder', 'maxOrder');

/**
 * All that the price of an order of a coin from or to an account depends on, in one round trip. The price is kept as one that is used;
 * it is null if there is none, if it is too old, or if its breaker is open. Nothing if the account is not this owner's.
 */
export const orderTerms = statement({
  name: 'orderTerms',
  takes: { account: id<AccountId>(), owner: id<UserId>(), coin: text() },
  gives: {
    ...{ currency: text(), baseAsset: text(), ...terms },
    ...{ priceId: id<UsedPriceId>().nullable(), price: decimal().nullable(), pricedAt: moment().nullable() },
    sources: json(SourcePrices).nullable(),
    ...{ fees: feesInForce(), rates: ratesInForce() },
  },
  sql: `
    select a.asset as currency, s.base_asset, ${selectList(terms, 'c')}, p.price_id, p.price, p.priced_at, p.sources,
           coalesce(fee.list, '[]') as fees, coalesce(rate.list, '[]') as rates
      from accounts a cross join fx_settings s join crypto_assets c on c.asset = $coin
      cross join (select bank_now() as at) moment
      cross join lateral coin_price_to_trade(c.asset, s.base_asset) p
      cross join ${FEES(`'crypto_order'`, 'a.asset', 'null', 'a.account_type_id')}
      cross join ${RATES('a.asset', 's.base_asset')}
     where a.id = $account and a.owner_id = $owner and a.kind = 'customer' and s.only_row`,
});
export type OrderTerms = RowOf<(typeof orderTerms)['gives']>;

/** A quote as it is kept: minor units as decimal strings. */
export interface MadeQuote {
  readonly id: CryptoQuoteId;
  readonly user_id: UserId;
  readonly side: OrderSide;
  readonly account_id: AccountId;
  readonly currency: string;
  readonly asset: string;
  readonly gross: string;
  readonly fee: string;
  readonly coins: string;
  readonly price: StoredPrice;
  readonly price_id: string;
  readonly mid_price: string;
}

/** Keeps a quote for a minute, or says why the terms of the coin do not allow it; `expiresAt` is null as well if its id is taken. */
export const makeQuote = statement({
  name: 'makeQuote',
  takes: { quote: ownJson<MadeQuote>() },
  gives: {
    refusal: oneOf([
      ...(['crypto_asset_unavailable', 'rate_unavailable', 'order_too_small', 'order_too_large'] as const),
    ]).nullable(),
    expiresAt: moment().nullable(),
  },
  sql: 'select refusal, expires as expires_at from crypto_quote_make($quote)',
});

const quote = {
  ...columnsOf(CryptoQuote, 'side', 'accountId', 'currency', 'asset', 'gross', 'fee', 'coins', 'midPrice'),
  price: json(StoredPrice),
};
const quotedBy = { ...columnsOf(UsedPrice, 'pricedAt'), sources: json(SourcePrices) };
const quoted = { ...columnsOf(CryptoQuote, 'id', 'expiresAt'), ...quote, ...quotedBy };
/** What a quote has frozen, and what its price came from. */
export type CryptoQuoteRow = RowOf<typeof quoted>;

/** One quote of a customer. */
export const cryptoQuoteOf = statement({
  name: 'cryptoQuoteOf',
  takes: columnsOf(CryptoQuote, 'id', 'userId'),
  gives: quoted,
  sql: `
    select q.id, q.expires_at, ${selectList(quote, 'q')}, ${selectList(quotedBy, 'p')}
      from crypto_quotes q join used_prices p on p.id = q.price_id where q.id = $id and q.user_id = $userId`,
});

/** What the limit says that an order would pass. */
const Members = z.record(z.string(), z.unknown());

/** Takes an order for a quote of this customer, or says why not. */
export const placeOrder = statement({
  name: 'placeOrder',
  takes: { order: id<CryptoOrderId>(), quote: id<CryptoQuoteId>(), customer: id<UserId>() },
  gives: {
    refusal: oneOf([
      ...(['not_found', 'quote_used', 'quote_expired', 'limit_exceeded', 'account_closed'] as const),
      ...(['account_blocked', 'debits_stopped', 'insufficient_funds'] as const),
    ]).nullable(),
    members: json(Members).nullable(),
  },
  sql: 'select refusal, members from crypto_order_place($order, $quote, $customer)',
});

/** Carries an order out. A repeat changes nothing. */
export const fillOrder = statement({
  name: 'fillOrder',
  takes: { order: id<CryptoOrderId>(), clock: moment() },
  gives: { status: oneOf(ORDER_STATUSES), failure: oneOf(ORDER_FAILURES).nullable() },
  sql: 'select x.status, x.failure from clock_check($clock), crypto_order_fill($order) x',
});

const made = columnsOf(
  CryptoOrder,
  ...(['id', 'quoteId', 'status', 'failure', 'transactionId', 'createdAt', 'finishedAt'] as const),
);
const order = { ...made, ...quote, ...quotedBy };
const ORDERS = `
  select ${selectList(made, 'o')}, ${selectList(quote, 'q')}, ${selectList(quotedBy, 'p')}
    from crypto_orders o join crypto_quotes q on q.id = o.quote_id join used_prices p on p.id = q.price_id`;
/** An order with what its quote has frozen. */
export type CryptoOrderRow = RowOf<typeof order>;

/** One order of a customer. */
export const cryptoOrderOf = statement({
  name: 'cryptoOrderOf',
  takes: columnsOf(CryptoOrder, 'id', 'userId'),
  gives: order,
  sql: `${ORDERS} where o.id = $id and o.user_id = $userId`,
});

/** A page of the orders of a customer, newest first. */
export const cryptoOrdersOf = statement({
  name: 'cryptoOrdersOf',
  takes: {
    customer: id<UserId>(),
    ...{ asset: text().nullable(), side: text().nullable(), status: text().nullable() },
    ...{ before: id<CryptoOrderId>().nullable(), most: bigCount() },
  },
  gives: order,
  sql: `${ORDERS}
     where o.user_id = $customer and ($asset::text is null or q.asset = $asset) and ($side::text is null or q.side = $side)
       and ($status::text is null or o.status = $status) and ($before::uuid is null or o.id < $before)
     order by o.id desc limit $most`,
});

/** Whose an order is that is not carried out yet. */
export const openOrder = statement({
  name: 'openOrder',
  takes: columnsOf(CryptoOrder, 'id'),
  gives: columnsOf(CryptoOrder, 'userId'),
  sql: `select user_id from crypto_orders where id = $id and status = 'open'`,
});

/** Orders that should have been carried out so long ago. */
export const overdueOrders = statement({
  name: 'overdueOrders',
  takes: { lateSeconds: integer(), most: bigCount(), after: id().nullable() },
  gives: { id: id() },
  sql: `
    select id from crypto_orders
     where status = 'open' and created_at < bank_now() - make_interval(secs => $lateSeconds::integer)
       and id > coalesce($after::uuid, '00000000-0000-0000-0000-000000000000')
     order by id limit $most`,
});
