/** The sandbox of price sources as a process: formats, single prices, tapes, faults, and when a change counts as delivered. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { startPrices, type SandboxPrices } from '../support/prices/process.ts';
import { until } from '../support/until.ts';

const OKX = '/okx/api/v5/market/tickers?instType=SPOT';
const BITSTAMP = '/bitstamp/api/v2/ticker/';
const coinbaseOf = (pair: string): string => `/coinbase/products/${pair}/ticker`;

const Bitstamp = z.array(z.looseObject({ pair: z.string(), last: z.string(), timestamp: z.string() }));
const Okx = z.looseObject({
  data: z.array(z.looseObject({ instId: z.string(), last: z.string(), ts: z.string() })),
});
const Prices = z.strictObject({
  tape: z.string(),
  items: z.array(
    z.strictObject({
      ...{ source: z.string(), asset: z.string(), currency: z.string(), price: z.string() },
      at: z.iso.datetime(),
    }),
  ),
});

let prices: SandboxPrices;
beforeAll(async () => {
  prices = await startPrices();
});
afterAll(() => prices.stop());
afterEach(() => prices.told('DELETE', '/faults'));

const ask = (path: string) => prices.control('GET', path);
const bitstampOf = async (pair: string) =>
  Bitstamp.parse(await prices.told('GET', BITSTAMP)).find((one) => one.pair === pair);
const okxOf = async (pair: string) =>
  Okx.parse(await prices.told('GET', OKX)).data.find((one) => one.instId === pair);

/** Carries out a control call while each source is asked again and again, as a bank does in its rounds. */
async function whileAsked<T>(call: Promise<T>, pair = 'BTC-EUR'): Promise<T> {
  let isOver = false;
  const answered = call.finally(() => {
    isOver = true;
  });
  await until(async () => {
    await Promise.all([coinbaseOf(pair), BITSTAMP, OKX].map(ask));
    return isOver;
  });
  return answered;
}

const set = (body: object, pair?: string) => whileAsked(prices.told('POST', '/prices', body), pair);
const play = (tape: string) => whileAsked(prices.told('POST', `/tapes/${tape}/play`, {}));

test('each source answers in the format of its exchange, with the time of asking', async () => {
  await play('jump');
  const before = Date.now();
  const coinbase = await ask(coinbaseOf('ETH-EUR'));
  const [bitstamp, okx] = [await bitstampOf('ETH/EUR'), await okxOf('ETH-EUR')];
  expect(coinbase).toEqual({
    status: 200,
    body: {
      ...{ trade_id: 1, price: '2500.50', size: '0.1', bid: '2500.50', ask: '2500.50' },
      ...{ time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/), volume: expect.any(String) },
    },
  });
  expect(bitstamp).toMatchObject({ last: '2499.50', pair: 'ETH/EUR', high: '2499.50', vwap: '2499.50' });
  expect(okx).toMatchObject({ instType: 'SPOT', instId: 'ETH-EUR', last: '2500.00', bidPx: '2500.00' });
  const { time } = z.object({ time: z.string() }).parse(coinbase.body);
  for (const at of [Date.parse(time), Number(bitstamp?.timestamp) * 1_000 + 999, Number(okx?.ts)])
    expect(at).toBeGreaterThanOrEqual(before);
  expect(await ask(coinbaseOf('ABC-EUR'))).toEqual({ status: 404, body: { message: 'NotFound' } });
  expect(await ask('/okx/api/v5/market/tickers?instType=SWAP')).toMatchObject({ status: 400 });
});

test('a price that is set at all sources is delivered, and has the time of asking', async () => {
  const wish = { asset: 'BTC', currency: 'EUR', price: '61234.5' };
  expect(await set(wish)).toEqual({
    ...wish,
    ...{ delivered: true, sources: ['coinbase', 'bitstamp', 'okx'], at: null },
  });
  const [before, okx] = [Date.now(), await okxOf('BTC-EUR')];
  expect(okx?.last).toBe('61234.5');
  expect(Number(okx?.ts)).toBeGreaterThanOrEqual(before);
  expect(await bitstampOf('BTC/EUR')).toMatchObject({ last: '61234.5' });
  // others stay on the tape
  expect(await okxOf('LTC-EUR')).toMatchObject({ last: '75.00' });
});

test('a price with a time keeps it exactly, also in the future, until a tape is played', async () => {
  const at = '2031-05-06T07:08:09.123Z';
  const wish = { source: 'okx', asset: 'LTC', currency: 'USD', price: '80.01' };
  expect(await set({ ...wish, at: '2031-05-06T09:08:09.123+02:00' }, 'LTC-USD')).toMatchObject({
    ...{ delivered: true, sources: ['okx'], at },
  });
  expect(await okxOf('LTC-USD')).toMatchObject({ last: '80.01', ts: String(Date.parse(at)) });
  expect(await bitstampOf('LTC/USD')).not.toMatchObject({ last: '80.01' });
  expect(await play('outlier')).toEqual({ delivered: true, tape: 'outlier' });
  expect(await okxOf('LTC-USD')).toMatchObject({ last: '81.19' });
});

test('a removed pair is gone at its source alone, and a pair of no tape can be set', async () => {
  const pair = { asset: 'XLM', currency: 'CHF' };
  await set({ ...pair, source: 'coinbase', price: null }, 'XLM-CHF');
  expect((await ask(coinbaseOf('XLM-CHF'))).status).toBe(404);
  expect(await okxOf('XLM-CHF')).toBeDefined();
  await set({ asset: 'ADA', currency: 'JPY', price: '88' }, 'ADA-JPY');
  expect(await bitstampOf('ADA/JPY')).toMatchObject({ last: '88' });
});

test('sources that are silent keep the time at which the tape began', async () => {
  await play('silent');
  const [bitstamp, okx] = [await bitstampOf('BTC/EUR'), await okxOf('BTC-EUR')];
  await until(async () => {
    const { body } = await ask(coinbaseOf('BTC-EUR'));
    const { time } = z.object({ time: z.string() }).parse(body);
    return Date.parse(time) > Number(okx?.ts) + 1_000;
  });
  expect(await bitstampOf('BTC/EUR')).toEqual(bitstamp);
  expect(await okxOf('BTC-EUR')).toEqual(okx);
  await play('calm');
  expect(Number((await okxOf('BTC-EUR'))?.ts)).toBeGreaterThan(Number(okx?.ts));
});

test('the list has the current prices of every source, and the tape', async () => {
  await play('outlier');
  const { tape, items } = Prices.parse(await prices.told('GET', '/prices'));
  expect(tape).toBe('outlier');
  expect(items).toHaveLength(3 * 10 * 4);
  const bitcoin = items.filter(({ asset, currency }) => asset === 'BTC' && currency === 'EUR');
  expect(bitcoin.map(({ source, price }) => [source, price])).toEqual([
    ['coinbase', '60012.00'],
    ['bitstamp', '59988.00'],
    ['okx', '66000.00'],
  ]);
});

test('faults hit the tickers of their source alone and are in the log, other questions are not', async () => {
  for (const fault of ['refuse', 'http_500', 'http_503', 'http_429'])
    await prices.told('POST', '/faults', { call: 'okx', fault });
  const statuses = [];
  for (let asked = 0; asked < 5; asked++) statuses.push((await ask(OKX)).status);
  expect(statuses).toEqual([403, 500, 503, 429, 200]);
  await prices.told('POST', '/faults', { call: 'coinbase', fault: 'timeout' });
  const late = fetch(`${prices.base}${coinbaseOf('BTC-EUR')}`, { signal: AbortSignal.timeout(300) });
  await expect(late).rejects.toThrow(/timeout/);
  expect((await ask(BITSTAMP)).status).toBe(200);
  const Log = z.object({ items: z.array(z.looseObject({ call: z.string(), fault: z.string().optional() })) });
  const { items } = Log.parse(await prices.told('GET', '/log'));
  expect(items.slice(0, 2)).toMatchObject([
    { call: 'coinbase', fault: 'timeout' },
    { call: 'okx', fault: 'http_429' },
  ]);
  expect(items.filter(({ call, fault }) => call === 'bitstamp' && fault === undefined)).toEqual([]);
});

test('an unknown tape is not found, and the answer names those there are', async () => {
  expect(await prices.control('POST', '/tapes/storm/play', {})).toEqual({
    status: 404,
    body: { status: 404, detail: 'there is no tape storm; there are calm, jump, outlier, silent' },
  });
});

const good = { source: 'okx', asset: 'BTC', currency: 'EUR', price: '1' };
test.each([
  ['source', { ...good, source: 'kraken' }],
  ['asset', { ...good, asset: 'bitcoin' }],
  ['currency', { ...good, currency: 'EURO' }],
  ['price', { ...good, price: 1 }],
  ['price', { ...good, price: '-1' }],
  ['price', { source: 'okx', asset: 'BTC', currency: 'EUR' }],
  ['at', { ...good, at: 'yesterday' }],
  ['volume', { ...good, volume: '1' }],
])('a body with a wrong %s is refused and changes nothing', async (field, body) => {
  const before = (await okxOf('BTC-EUR'))?.last;
  const { status, body: problem } = await prices.control('POST', '/prices', body);
  expect(status).toBe(400);
  expect(JSON.stringify(problem)).toContain(field);
  expect((await okxOf('BTC-EUR'))?.last).toBe(before);
});

test('the page shows prices and tapes', async () => {
  await play('outlier');
  const answer = await fetch(`${prices.base}/`);
  expect(answer.headers.get('Content-Type')).toContain('text/html');
  const page = await answer.text();
  expect(page).toContain('The tape <b>outlier</b> plays.');
  expect(page).toContain('66000.00');
  expect(page).toContain('data-tape="silent"');
});

test('an address that cannot be read is not found', async () => {
  expect((await ask('//')).status).toBe(404);
  expect((await ask('/coinbase/products')).status).toBe(404);
});
