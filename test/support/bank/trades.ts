/** Orders of coins in a bank of a test's own, as the API takes them and a process carries them out. */
import { randomUUID } from 'node:crypto';
import type { CryptoOrderRow, CryptoQuoteRow } from '../../../db/queries/crypto/orders.ts';
import type { FilledOrder } from '../../../workflows/crypto-order/contract.ts';
import { CryptoOrderId, type AccountId, type CryptoQuoteId, type UserId } from '../../../domain/ids.ts';
import { SYSTEM } from '../../../domain/actor.ts';
import { parseAmount, type Money } from '../../../domain/money.ts';
import { Refusal, refuse } from '../../../domain/refusals.ts';
import {
  carryOutOrder,
  orderByQuote,
  quoteTrade,
  type WantedTrade,
} from '../../../services/crypto/orders.ts';
import type { Books } from './books.ts';

/** `12.34 EUR`. */
export function money(text: string): Money {
  const [amount = '', asset = ''] = text.split(' ');
  const found = parseAmount(amount, asset);
  if (typeof found === 'string') throw new Error(`${text}: ${found}`);
  return found;
}

/** From now on a coin is so much in the bank's currency, by two sources; its breaker is closed. */
export async function setCoinPrice(
  books: Books,
  asset: string,
  price: string,
  secondsAgo = 0,
): Promise<void> {
  const at = new Date(Date.now() - secondsAgo * 1_000);
  const sources = ['one', 'two'].map((source) => ({ source, price, at: at.toISOString() }));
  await books.asOwner(
    `insert into coin_prices (asset, currency, price, priced_at, sources) values ($1, 'EUR', $2, $3, $4)
       on conflict (asset, currency) do update set price = excluded.price, priced_at = excluded.priced_at,
         sources = excluded.sources, breaker_opened_at = null, breaker_price = null`,
    [asset, price, at, JSON.stringify(sources)],
  );
}

/** A customer with an account and so much on it. */
export interface Trader {
  readonly id: UserId;
  readonly account: AccountId;
}

export async function newTrader(books: Books, funds: string): Promise<Trader> {
  const id = await books.user();
  const { minor, asset } = money(funds);
  const account = await books.account(id, asset);
  if (minor > 0n) await books.fund(account, minor, asset);
  return { id, account };
}

/** What a trader calls a service with. */
const callOf = (books: Books, { id }: Trader, newId: string = randomUUID(), isRepeat = false) => ({
  ...{ db: books.em(), newId, isRepeat, refusal: refuse, actor: { ...SYSTEM, role: 'customer', id } as never },
  caller: { kind: 'user', id } as never,
});

export function quoteOf(
  books: Books,
  trader: Trader,
  wanted: Omit<WantedTrade, 'account'> & { readonly account?: AccountId },
  newId?: string,
  isRepeat?: boolean,
): Promise<CryptoQuoteRow> {
  return quoteTrade(callOf(books, trader, newId, isRepeat), { account: trader.account, ...wanted });
}

/** Buys or sells for what is spent: `buy`, `BTC`, `500.00 EUR`. */
export const quoteSpending = (
  books: Books,
  trader: Trader,
  side: 'buy' | 'sell',
  asset: string,
  spend: string,
): Promise<CryptoQuoteRow> => quoteOf(books, trader, { side, asset, spend: money(spend) });

/** Places an order in a transaction of its own, as the frame of the API does. */
export const place = (books: Books, trader: Trader, quote: CryptoQuoteId): Promise<CryptoOrderRow> => {
  const call = callOf(books, trader);
  return call.db.transactional((db) => orderByQuote({ ...call, db }, quote));
};

export const fill = (books: Books, order: string): Promise<FilledOrder> =>
  carryOutOrder(books.em(), CryptoOrderId.parse(order));

/** The refusal that a call ends with, or `done`. */
export async function verdictOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'done';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}
