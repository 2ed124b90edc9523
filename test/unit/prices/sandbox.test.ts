/** A change that nobody reads is answered as not delivered, and is in force all the same. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AddressInfo } from 'node:net';
import { createPriceSandbox } from '../../../dev/prices/sandbox.ts';
import { listenOnLoopback } from '../../../dev/simulators/control.ts';

const { server } = createPriceSandbox({ patienceMs: 20 });
let base: string;
beforeAll(async () => {
  await listenOnLoopback(server, 0, 'PRICES_PORT');
  base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function post(path: string, body: object): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' };
  return (await fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

test('a price that nobody asks for is set and not delivered', async () => {
  const wish = { source: 'coinbase', asset: 'BTC', currency: 'EUR', price: '59000.1' };
  expect(await post('/prices', wish)).toMatchObject({ delivered: false, sources: ['coinbase'] });
  const ticker = await fetch(`${base}/coinbase/products/BTC-EUR/ticker`);
  expect(await ticker.json()).toMatchObject({ price: '59000.1' });
});

test('a tape that nobody listens to plays and is not delivered', async () => {
  expect(await post('/tapes/outlier/play', {})).toEqual({ delivered: false, tape: 'outlier' });
  expect(await (await fetch(`${base}/prices`)).json()).toMatchObject({ tape: 'outlier' });
});
