/** The part of the page that is the market's own: the prices now, and the tapes. */
import { PRICE_SOURCES } from '../../domain/crypto/prices.ts';
import { escapedHtml } from '../../domain/standards/html.ts';
import { table } from '../simulators/page.ts';
import type { Market } from './market.ts';
import type { Tape } from './tapes.ts';

const CURRENCY = 'EUR';

/** HTML for the page. */
export function pricesPage(market: Market, tapes: Iterable<Tape>): string {
  const quotes = PRICE_SOURCES.flatMap((source) => market.quotes(source)).filter(
    ({ currency }) => currency === CURRENCY,
  );
  const rows = [...new Set(quotes.map(({ asset }) => asset))].map((asset) => [
    `${asset}-${CURRENCY}`,
    ...PRICE_SOURCES.map((source) => {
      const quote = market.quote(source, asset, CURRENCY);
      return quote === undefined ? '' : `${quote.price} at ${quote.at.toISOString()}`;
    }),
  ]);
  const buttons = [...tapes].map(
    ({ name, about }) =>
      `<p><button data-tape="${escapedHtml(name)}">${escapedHtml(name)}</button> ${escapedHtml(about)}</p>`,
  );
  return `
<h2>Prices now</h2>
${table(['pair', ...PRICE_SOURCES], rows)}
<h2>Tapes</h2>
<p>The tape <b>${escapedHtml(market.tape().name)}</b> plays.</p>
${buttons.join('\n')}
<script>
  for (const button of document.querySelectorAll('[data-tape]'))
    button.addEventListener('click', () => {
      const headers = { 'Content-Type': 'application/json' };
      void fetch('/tapes/' + button.dataset.tape + '/play', { method: 'POST', headers, body: '{}' });
      // it plays at once, and the answer waits for its readers
      setTimeout(() => location.reload(), 300);
    });
</script>
`;
}
