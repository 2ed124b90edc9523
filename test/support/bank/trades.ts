/** Orders of coins in a bank of a test's own, as the API takes them and a process carries them out. */
import { randomUUID } from 'node:crypto';
import type { CryptoOrderRow, CryptoQuoteRow } from '../../../db/queries/crypto/orders.ts';
import { transaction } from '../../../db/transaction.ts';
import type { FilledOrder } from '../../../workflows/crypto-order/contract.ts';
import {
  CryptoOrderId,
  SessionId,
  type AccountId,
  type CryptoQuoteId,
  type UserId,
} from '../../../domain/ids.ts';
import { parseAmount, type Money } from '../../../domain/money.ts';
import { isRefusal, refuse } from '../../../domain/refusals.ts';
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
  ...{ db: books.em(), newId, isRepeat, refusal: refuse },
  actor: { id, role: 'customer', address: '127.0.0.1', requestId: randomUUID() } as const,
  caller: {
    ...({ kind: 'user', id, role: 'customer', sessionId: SessionId.parse(randomUUID()) } as const),
    ...{ amr: ['pwd'], locale: 'en' },
  },
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
  return transaction(call.db, (db) => orderByQuote({ ...call, db }, quote));
};

export const fill = (books: Books, order: string): Promise<FilledOrder> =>
  carryOutOrder(books.em(), CryptoOrderId.parse(order));

/** Books what has happened on an account, whatever is held there, as the clearing of a card payment does. */
export async function mustTake(books: Books, account: string, minor: bigint): Promise<void> {
  await books.asOwner(
    `insert into source_rights (source_type, kind, permits) values ('test', 'clearing', 'must_book') on conflict do nothing`,
  );
  await books.asOwner(
    `select ledger_post(jsonb_build_array(jsonb_build_object('id', x.id, 'kind', 'clearing', 'source_type', 'test', 'source_id', x.id,
       'must', true, 'entries', jsonb_build_array(
         jsonb_build_object('account', $1::text, 'asset', 'EUR', 'amount', '-' || $2::text),
         jsonb_build_object('account', house_account('card_clearing', 'EUR', x.id), 'asset', 'EUR', 'amount', $2::text)))))
       from (select uuidv7() as id) x`,
    [account, minor.toString()],
  );
}

/** The refusal that a call ends with, or `done`. */
export async function verdictOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'done';
  } catch (error) {
    if (isRefusal(error)) return error.code;
    throw error;
  }
}
