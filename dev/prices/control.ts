/** The control API: it plays tapes, sets single prices, and lists the current prices. */
import { z } from 'zod';
import { PRICE_SOURCES } from '../../domain/crypto/prices.ts';
import { answered, problem, type Controlled } from '../simulators/control.ts';
import { DECIMAL } from './decimals.ts';
import type { Market } from './market.ts';
import type { Readers } from './readers.ts';
import type { Tape } from './tapes.ts';
import { questionAbout } from './tickers.ts';

const PriceWish = z.strictObject({
  source: z.enum(PRICE_SOURCES).optional(),
  asset: z.string().regex(/^[A-Z0-9]{2,10}$/, 'must be a coin such as BTC'),
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be a currency such as EUR'),
  price: z.string().regex(DECIMAL, 'must be a decimal such as "60000.00", or null').nullable(),
  at: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .optional(),
});

export interface ControlOptions {
  readonly market: Market;
  readonly tapes: ReadonlyMap<string, Tape>;
  readonly readers: Pick<Readers, 'untilTakenIn'>;
  /** Keeps for the log what a call has changed. */
  note(call: string, details: Readonly<Record<string, unknown>>): void;
}

/** Each call that changes prices answers once whoever asks for them has taken the change in. */
export function controlRoutes(options: ControlOptions): NonNullable<Controlled['routes']> {
  const { market, tapes, readers, note } = options;
  return {
    'GET /prices': () =>
      answered(() => ({
        tape: market.tape().name,
        items: PRICE_SOURCES.flatMap((source) => market.quotes(source)),
      })),
    'POST /prices': (body) => answered(() => setPrice(options, PriceWish.parse(body))),
    'POST /tapes/{name}/play': async (_body, name) => {
      const tape = tapes.get(name);
      if (tape === undefined)
        return problem(404, `there is no tape ${name}; there are ${[...tapes.keys()].join(', ')}`);
      return answered(async () => {
        market.play(tape);
        const delivered = await readers.untilTakenIn(PRICE_SOURCES.map((source) => ({ source })));
        note('tape', { tape: name, delivered });
        return { delivered, tape: name };
      });
    },
  };
}

async function setPrice(
  { market, readers, note }: ControlOptions,
  { source, asset, currency, price, at }: z.output<typeof PriceWish>,
): Promise<object> {
  const sources = source === undefined ? PRICE_SOURCES : [source];
  market.set({ sources, asset, currency, price, at });
  const delivered = await readers.untilTakenIn(sources.map((one) => questionAbout(one, asset, currency)));
  const changed = { sources, asset, currency, price, at: at ?? null };
  note('price', { ...changed, delivered });
  return { delivered, ...changed };
}
