/** The public tickers of exchanges: HTTPS without a key. Coinbase answers for one coin at a time, the others for all they trade. */
import { z } from 'zod';
import type { PriceSourceName, ToldPrice } from '../../domain/crypto/prices.ts';
import { textWithin } from '../bounded-text.ts';
import type { PriceSource } from './price-source.ts';

const ANSWER_MILLISECONDS = 5_000;
/** All spot tickers of an exchange are some 300 kB. */
const MOST_BYTES = 4_000_000;

const Price = z.string().regex(/^(?=.*[1-9])(0|[1-9]\d{0,14})(\.\d{1,18})?$/);
/** Time since 1970 as a text of digits. */
const Seconds = z
  .string()
  .regex(/^\d{1,10}$/)
  .transform((digits) => new Date(Number(digits) * 1_000));
const Milliseconds = z
  .string()
  .regex(/^\d{1,13}$/)
  .transform((digits) => new Date(Number(digits)));

/** Asks for coins in a currency at the address of an exchange. */
type Ask = (url: string, coins: readonly string[], currency: string) => Promise<readonly ToldPrice[]>;

/** The exchange of this name, at its address without a slash at the end. */
export function tickerOf({
  name,
  url,
}: {
  readonly name: PriceSourceName;
  readonly url: string;
}): PriceSource {
  return { name, prices: (coins, currency) => ASKS[name](url, coins, currency) };
}

const CoinbaseTicker = z.looseObject({ price: Price, time: z.iso.datetime({ offset: true }) });

/** Exchange API, `GET /products/{pair}/ticker`. */
const askCoinbase: Ask = async (url, coins, currency) => {
  const told: ToldPrice[] = [];
  // one after the other: it takes ten calls a second
  for (const asset of coins) {
    const ticker = CoinbaseTicker.safeParse(await get(`${url}/products/${asset}-${currency}/ticker`, [404]));
    if (ticker.success) told.push({ asset, price: ticker.data.price, at: new Date(ticker.data.time) });
  }
  return told;
};

const BitstampTicker = z
  .looseObject({ pair: z.string(), last: Price, timestamp: Seconds })
  .transform(({ pair, last: price, timestamp: at }) => ({ pair, price, at }));

/** API version 2, `GET /ticker/`: all pairs. */
const askBitstamp: Ask = async (url, coins, currency) => {
  const tickers = z.array(z.unknown()).parse(await get(`${url}/api/v2/ticker/`));
  return ofCoins(readable(BitstampTicker, tickers), coins, (asset) => `${asset}/${currency}`);
};

const OkxAnswer = z.looseObject({ code: z.literal('0'), data: z.array(z.unknown()) });
const OkxTicker = z
  .looseObject({ instId: z.string(), last: Price, ts: Milliseconds })
  .transform(({ instId: pair, last: price, ts: at }) => ({ pair, price, at }));

/** API version 5, `GET /market/tickers`: all spot pairs. */
const askOkx: Ask = async (url, coins, currency) => {
  const { data } = OkxAnswer.parse(await get(`${url}/api/v5/market/tickers?instType=SPOT`));
  return ofCoins(readable(OkxTicker, data), coins, (asset) => `${asset}-${currency}`);
};

const ASKS: Readonly<Record<PriceSourceName, Ask>> = {
  coinbase: askCoinbase,
  bitstamp: askBitstamp,
  okx: askOkx,
};

/** A pair that cannot be read, such as one without a trade, must not take the others with it. */
function readable<Schema extends z.ZodType>(schema: Schema, items: readonly unknown[]): z.output<Schema>[] {
  return items.flatMap((item) => {
    const { data } = schema.safeParse(item);
    return data === undefined ? [] : [data];
  });
}

function ofCoins(
  told: readonly { readonly pair: string; readonly price: string; readonly at: Date }[],
  coins: readonly string[],
  pairOf: (asset: string) => string,
): ToldPrice[] {
  const byPair = new Map(told.map((one) => [one.pair, one]));
  return coins.flatMap((asset) => {
    const one = byPair.get(pairOf(asset));
    return one === undefined ? [] : [{ asset, price: one.price, at: one.at }];
  });
}

/** The JSON at an address, which must answer 200, or with one of these. */
async function get(url: string, orStatuses: readonly number[] = []): Promise<unknown> {
  const answer = await fetch(url, {
    headers: { Accept: 'application/json' },
    signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
    redirect: 'error',
  });
  if (answer.status !== 200 && !orStatuses.includes(answer.status)) {
    await answer.body?.cancel();
    throw new Error(`${new URL(url).host} answers ${String(answer.status)}`);
  }
  return JSON.parse(await textWithin(MOST_BYTES, answer));
}
