/** The tickers of exchanges: what they say is read exactly, and what cannot be read is left out or told as a failure. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { tickerOf } from '../../adapters/prices/tickers.ts';
import { pricesOf } from '../../db/queries/crypto/prices.ts';
import type { PriceSourceName } from '../../domain/crypto/prices.ts';
import { priceRound } from '../../workers/price-round.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';

/** What each path answers; 404 for all others. */
let answers: Record<string, { readonly status?: number; readonly body: string }> = {};
let asked: string[] = [];
let server: Server;
let books: Books;
let url = '';
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const { status = 200, body } = answers[request.url ?? ''] ?? {
      status: 404,
      body: '{"message":"NotFound"}',
    };
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  books = openBooks(await ownBank());
  await books.asOwner(`update crypto_assets set enabled = true where asset in ('BTC', 'XRP')`);
});
afterAll(async () => {
  server.close();
  await books.close();
});
beforeEach(() => {
  [answers, asked] = [{}, []];
});

const ask = (name: PriceSourceName) => tickerOf({ name, url }).prices(['BTC', 'XRP'], 'EUR');
const BITSTAMP = '/api/v2/ticker/';
const OKX = '/api/v5/market/tickers?instType=SPOT';
const COINBASE = '/products/BTC-EUR/ticker';

test('Coinbase is asked for each coin, and does not trade all of them', async () => {
  answers = {
    [COINBASE]: {
      body: '{"trade_id":7,"price":"60000.123456789012345678","size":"1","time":"2026-11-29T00:00:00.123456Z"}',
    },
  };
  expect(await ask('coinbase')).toEqual([
    { asset: 'BTC', price: '60000.123456789012345678', at: new Date('2026-11-29T00:00:00.123Z') },
  ]);
  expect(asked).toEqual([COINBASE, '/products/XRP-EUR/ticker']);
});

test('Bitstamp and OKX tell all pairs at once; one that cannot be read is left out', async () => {
  const bitstamp = [
    { pair: 'BTC/EUR', last: '60000.5', timestamp: '1686068944' },
    { pair: 'BTC/USD', last: '65000', timestamp: '1686068944' },
    { pair: 'XRP/EUR', last: '0', timestamp: '1686068944' },
    null,
  ];
  const okx = {
    ...{ code: '0', msg: '' },
    data: [
      { instId: 'XRP-EUR', last: '2.31', ts: '1597026383085' },
      { instId: 'BTC-EUR', last: '6e4', ts: '1597026383085' },
      { instId: 'BTC-EUR-SWAP', last: '1', ts: '1597026383085' },
    ],
  };
  answers = { [BITSTAMP]: { body: JSON.stringify(bitstamp) }, [OKX]: { body: JSON.stringify(okx) } };
  expect(await ask('bitstamp')).toEqual([
    { asset: 'BTC', price: '60000.5', at: new Date(1_686_068_944_000) },
  ]);
  expect(await ask('okx')).toEqual([{ asset: 'XRP', price: '2.31', at: new Date(1_597_026_383_085) }]);
  expect(asked).toEqual([BITSTAMP, OKX]);
});

test.each<[string, PriceSourceName, string, number, string]>([
  ['a failure of Coinbase', 'coinbase', COINBASE, 500, '{}'],
  ['too many calls', 'bitstamp', BITSTAMP, 429, ''],
  [
    'a failure that OKX answers with 200',
    'okx',
    OKX,
    200,
    '{"code":"50011","msg":"Too Many Requests","data":[]}',
  ],
  ['something else than JSON', 'okx', OKX, 200, '<html>'],
  ['something else than a list', 'bitstamp', BITSTAMP, 200, '{}'],
  ['more than can be read', 'bitstamp', BITSTAMP, 200, `["${'x'.repeat(4_000_001)}"]`],
])('%s is told', async (_what, name, path, status, body) => {
  answers = { [path]: { status, body } };
  await expect(ask(name)).rejects.toThrow();
});

test('a round brings what a source says to the bank, one worker at a time, and a source that is away keeps none back', async () => {
  const log = pino({ level: 'silent' });
  const round = (name: PriceSourceName) =>
    priceRound({ source: tickerOf({ name, url }), em: books.em, log }, 5)();
  const now = new Date();
  answers = {
    [COINBASE]: { body: JSON.stringify({ price: '60000', time: now.toISOString() }) },
    [OKX]: {
      body: JSON.stringify({
        ...{ code: '0', msg: '' },
        data: [{ instId: 'BTC-EUR', last: '60001', ts: String(now.getTime()) }],
      }),
    },
  };
  await Promise.all([round('coinbase'), round('coinbase'), round('bitstamp'), round('okx')]);
  expect(asked.filter((path) => path === COINBASE)).toHaveLength(1);
  expect(asked).toContain(BITSTAMP);
  expect(await pricesOf.all(books.em(), { assets: ['BTC', 'XRP'] })).toMatchObject([
    { asset: 'BTC', price: '60000.5', stale: false, sources: [{ source: 'coinbase' }, { source: 'okx' }] },
    { asset: 'XRP', price: null },
  ]);
});
