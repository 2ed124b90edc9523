/** The sandbox of price sources: a market, and what answers for it on one port. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createControl, problem, type Answer, type Control } from '../simulators/control.ts';
import type { Fault } from '../simulators/faults.ts';
import { controlRoutes } from './control.ts';
import { openMarket } from './market.ts';
import { pricesPage } from './page.ts';
import { createReaders } from './readers.ts';
import { readTapes } from './tapes.ts';
import { tickerAt } from './tickers.ts';

const FIRST_TAPE = 'calm';

/** `patienceMs` is how long a control call waits for those who ask for prices. The caller lets its server listen. */
export function createPriceSandbox({ patienceMs }: { readonly patienceMs: number }): Control {
  const tapes = readTapes();
  const calm = tapes.get(FIRST_TAPE);
  if (calm === undefined) throw new Error(`there is no tape ${FIRST_TAPE}`);
  const market = openMarket(calm, () => new Date());
  const readers = createReaders({ patienceMs });

  function serve(request: IncomingMessage, response: ServerResponse): boolean {
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1');
    const ticker = url === null || request.method !== 'GET' ? undefined : tickerAt(market, url);
    if (ticker === undefined) return false;
    const fault = control.faultOf(ticker.source);
    if (fault === undefined) readers.answered(ticker);
    else control.note(ticker.source, { path: request.url }, fault);
    const answer = fault === undefined ? ticker.answer() : faulty(fault);
    // without an answer the caller gives up, and closes the connection
    if (answer !== undefined)
      response
        .writeHead(answer.status, { 'Content-Type': 'application/json' })
        .end(JSON.stringify(answer.body));
    return true;
  }

  const control = createControl({
    title: 'Price sources',
    about: 'Answers with prices of coins in the formats of Coinbase, Bitstamp and OKX. See docs/prices.md.',
    calls: {
      coinbase: 'GET /coinbase/products/{pair}/ticker',
      bitstamp: 'GET /bitstamp/api/v2/ticker/',
      okx: 'GET /okx/api/v5/market/tickers',
    },
    routes: controlRoutes({ market, tapes, readers, note: (call, details) => control.note(call, details) }),
    more: async () => pricesPage(market, tapes.values()),
    serve,
  });
  return control;
}

/** Nothing is changed by asking for prices, so both timeouts are the same. */
function faulty(fault: Fault): Answer | undefined {
  switch (fault) {
    case 'timeout':
    case 'timeout_after_commit':
      return undefined;
    case 'refuse':
      return problem(403, 'refused');
    case 'http_500':
    case 'http_503':
    case 'http_429':
      return problem(Number(fault.slice('http_'.length)), fault);
  }
}
