/**
 * Buying and selling coins. A quote says to the last digit what is paid and what is got; an order does what its quote says.
 * The fee is in the currency of the bank account: it is taken from what is spent on coins, and from what is got for them.
 */
import type { AssetCode } from '../assets.ts';
import {
  convert,
  roadBetween,
  type Conversion,
  type Fixed,
  type Road,
  type StoredRate,
} from '../exchange.ts';
import { MAX_MINOR, type Money } from '../money.ts';
import { feeLines, tierBounds, type FeeRule } from '../pricing/fees.ts';
import type { FeeLine } from '../pricing/pricing.ts';
import { inverse, plus, ratioOf, times, toDecimal } from '../pricing/ratio.ts';

export const ORDER_SIDES = ['buy', 'sell'] as const;
export type OrderSide = (typeof ORDER_SIDES)[number];

/** `open` holds what is paid; the other two are for ever. */
export const ORDER_STATUSES = ['open', 'filled', 'failed'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** What the books may say against an order when they are to carry it out. */
export const ORDER_FAILURES = [
  'account_closed',
  'account_blocked',
  'insufficient_funds',
  'balance_limit',
  'debits_stopped',
] as const;
export type OrderFailure = (typeof ORDER_FAILURES)[number];

/** A price of a coin, and what it was used under. */
export interface UsedCoinPrice {
  readonly id: string;
  /** Units of the base currency for one whole coin. */
  readonly price: string;
  readonly pricedAt: Date;
}

/** All that the price of an order depends on. */
export interface Market {
  readonly side: OrderSide;
  readonly coin: AssetCode;
  /** Of the bank account. */
  readonly currency: AssetCode;
  readonly baseAsset: AssetCode;
  readonly price: UsedCoinPrice;
  /** The bank's share at the price, in basis points. */
  readonly spreadBps: number;
  /** Between currency and base currency. */
  readonly rates: readonly StoredRate[];
  readonly fees: readonly FeeRule[];
}

/** What an order does, to the last digit. */
export interface OrderPrice {
  readonly spend: Money;
  readonly receive: Money;
  /** What is exchanged of the account's currency: what is spent less the fee, or what is got before the fee. */
  readonly subtotal: Money;
  readonly fees: readonly FeeLine[];
  readonly conversion: Conversion;
  /** Units of the currency for one whole coin, in the middle. */
  readonly midPrice: string;
}

/** The side that the customer names, in minor units of what is spent or received. */
export interface FixedSide {
  readonly side: 'spend' | 'receive';
  readonly minor: bigint;
}

/** What one coin is in the currency of the account by its price, or the other way round. Null if there is no rate, or it is stale. */
export function coinRoad({ side, currency, baseAsset, price, spreadBps, rates }: Market): Road | null {
  const coin = ratioOf(price.price);
  const own = { spreadBps: ratioOf(String(spreadBps)), rateIds: [price.id], asOf: price.pricedAt };
  const mid = side === 'buy' ? inverse(coin) : coin;
  if (currency === baseAsset) return { mid, ...own };
  const fx =
    side === 'buy'
      ? roadBetween(rates, currency, baseAsset, baseAsset)
      : roadBetween(rates, baseAsset, currency, baseAsset);
  if (fx === null) return null;
  return {
    mid: times(mid, fx.mid),
    spreadBps: plus(own.spreadBps, fx.spreadBps),
    rateIds: [...own.rateIds, ...fx.rateIds],
    asOf: own.asOf < fx.asOf ? own.asOf : fx.asOf,
  };
}

/**
 * Prices an order. If `receive` is fixed, the least is spent that gets exactly that; where a tariff jumps, so that no amount leaves
 * exactly that, the next larger one is got. Null where a side would be less than one minor unit, or more than the books hold.
 */
export function priceOrder(market: Market, road: Road, fixed: FixedSide): OrderPrice | null {
  const priced = market.side === 'buy' ? priceBuy(market, road, fixed) : priceSell(market, road, fixed);
  if (priced === null || priced.spend.minor > MAX_MINOR || priced.receive.minor <= 0n) return null;
  return { ...priced, midPrice: toDecimal(market.side === 'buy' ? inverse(road.mid) : road.mid) };
}

type Sides = Omit<OrderPrice, 'midPrice'>;

function priceBuy({ coin, currency, fees: rules }: Market, road: Road, fixed: FixedSide): Sides | null {
  const exact = fixed.side === 'receive' ? convert(road, currency, coin, target(fixed.minor)) : undefined;
  if (exact === null) return null;
  const spend = exact === undefined ? fixed.minor : beforeFees(rules, exact.source.minor);
  if (spend === null) return null;
  const fees = feeLines(rules, spend);
  const left = spend - total(fees);
  const conversion = exact?.source.minor === left ? exact : convert(road, currency, coin, source(left));
  return (
    conversion && {
      spend: { minor: spend, asset: currency },
      receive: conversion.target,
      subtotal: conversion.source,
      ...{ fees, conversion },
    }
  );
}

function priceSell({ coin, currency, fees: rules }: Market, road: Road, fixed: FixedSide): Sides | null {
  const gross = fixed.side === 'receive' ? beforeFees(rules, fixed.minor) : undefined;
  if (gross === null) return null;
  const side = gross === undefined ? source(fixed.minor) : target(gross);
  const conversion = convert(road, coin, currency, side);
  if (conversion === null) return null;
  const fees = feeLines(rules, conversion.target.minor);
  return {
    spend: conversion.source,
    receive: { minor: conversion.target.minor - total(fees), asset: currency },
    subtotal: conversion.target,
    ...{ fees, conversion },
  };
}

const source = (minor: bigint): Fixed => ({ side: 'source', minor });
const target = (minor: bigint): Fixed => ({ side: 'target', minor });
const total = (fees: readonly FeeLine[]): bigint => fees.reduce((sum, { minor }) => sum + minor, 0n);

/** More than any tariff takes that leaves a tenth of the amount. */
const STEPS = 1_000;

/** The smallest amount of which at least so much is left after its fees. Null if none is found. */
function beforeFees(rules: readonly FeeRule[], left: bigint): bigint | null {
  const bounds = [0n, ...tierBounds(rules)];
  let steps = 0;
  for (const [index, above] of bounds.entries()) {
    const end = bounds[index + 1] ?? MAX_MINOR;
    // between two bounds a fee does not fall while the amount grows, so this climbs to the smallest one
    let amount = above < left ? left : above + 1n;
    while (amount <= end) {
      steps += 1;
      if (steps > STEPS) return null;
      const needed = left + total(feeLines(rules, amount));
      if (needed <= amount) return amount;
      amount = needed;
    }
  }
  return null;
}
