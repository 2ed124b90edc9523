/** The public tickers of the exchanges, each in its own format: what is asked, and what is answered. */
import type { Answer } from '../simulators/control.ts';
import type { Market, Quote } from './market.ts';
import type { Question } from './readers.ts';

/** A question that a source can be asked. */
export interface Ticker extends Question {
  /** The answer as of this moment. */
  answer(): Answer;
}

const COINBASE_PATH = /^\/coinbase\/products\/([A-Z0-9]+)-([A-Z]+)\/ticker$/;
const BITSTAMP_PATH = /^\/bitstamp\/api\/v2\/ticker\/?$/;
const OKX_PATH = '/okx/api/v5/market/tickers';
/** What a bank does not look at is always the same. */
const VOLUME = '1234.56780000';
const SIZE = '0.1';

/** What a question to Coinbase is about is its pair; the others are asked for all pairs at once. */
export function questionAbout(source: Question['source'], asset: string, currency: string): Question {
  return { source, about: source === 'coinbase' ? `${asset}-${currency}` : 'all pairs' };
}

/** The question that is asked at this address; undefined if no source has it. */
export function tickerAt(market: Market, { pathname, searchParams }: URL): Ticker | undefined {
  const [pair, asset = '', currency = ''] = COINBASE_PATH.exec(pathname) ?? [];
  if (pair !== undefined)
    return {
      ...questionAbout('coinbase', asset, currency),
      answer: () => coinbase(market.quote('coinbase', asset, currency)),
    };
  if (BITSTAMP_PATH.test(pathname))
    return { ...questionAbout('bitstamp', '', ''), answer: () => bitstamp(market.quotes('bitstamp')) };
  if (pathname === OKX_PATH)
    return {
      ...questionAbout('okx', '', ''),
      answer: () => okx(searchParams.get('instType'), market.quotes('okx')),
    };
  return undefined;
}

/** https://docs.cdp.coinbase.com/exchange/reference/exchangerestapi_getproductticker */
function coinbase(quote: Quote | undefined): Answer {
  if (quote === undefined) return { status: 404, body: { message: 'NotFound' } };
  const { price, at } = quote;
  const body = {
    ...{ trade_id: 1, price, size: SIZE, time: at.toISOString() },
    ...{ bid: price, ask: price, volume: VOLUME },
  };
  return { status: 200, body };
}

/** https://www.bitstamp.net/api/#tag/Tickers/operation/GetCurrencyPairTickers: times are whole seconds. */
function bitstamp(quotes: readonly Quote[]): Answer {
  const body = quotes.map(({ asset, currency, price, at }) => ({
    ...{ timestamp: String(Math.floor(at.getTime() / 1_000)), last: price },
    ...{ high: price, low: price, bid: price, ask: price, vwap: price, volume: VOLUME },
    ...{ open: price, open_24: price, percent_change_24: '0.00', pair: `${asset}/${currency}` },
  }));
  return { status: 200, body };
}

/** https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-tickers: times are milliseconds. */
function okx(kind: string | null, quotes: readonly Quote[]): Answer {
  if (kind !== 'SPOT')
    return { status: 400, body: { code: '51000', msg: 'Parameter instType error', data: [] } };
  const data = quotes.map(({ asset, currency, price, at }) => ({
    ...{ instType: 'SPOT', instId: `${asset}-${currency}`, last: price, lastSz: SIZE },
    ...{ askPx: price, askSz: SIZE, bidPx: price, bidSz: SIZE },
    ...{ open24h: price, high24h: price, low24h: price, volCcy24h: VOLUME, vol24h: VOLUME },
    ...{ ts: String(at.getTime()), sodUtc0: price, sodUtc8: price },
  }));
  return { status: 200, body: { code: '0', msg: '', data } };
}
