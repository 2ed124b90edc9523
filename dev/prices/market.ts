/** The current prices of each source: those of the tape that plays, except where a pair was set by itself. */
import { PRICE_SOURCES, type PriceSourceName } from '../../domain/crypto/prices.ts';
import { COINS, CURRENCIES, type Tape } from './tapes.ts';

/** The price of a pair at a source. */
export interface Quote {
  readonly source: PriceSourceName;
  readonly asset: string;
  readonly currency: string;
  /** Units of the currency for one coin. */
  readonly price: string;
  /** When the source last traded at it. */
  readonly at: Date;
}

/** A new price of a pair, which takes the pair off the tape. */
export interface Change {
  readonly sources: readonly PriceSourceName[];
  readonly asset: string;
  readonly currency: string;
  /** Null removes the pair from the sources. */
  readonly price: string | null;
  /** The time of the price; if undefined, always the moment of asking. */
  readonly at: Date | undefined;
}

export interface Market {
  tape(): Tape;
  /** Plays a tape from its beginning, for all pairs. */
  play(tape: Tape): void;
  set(change: Change): void;
  /** Undefined if the source does not have the pair. */
  quote(source: PriceSourceName, asset: string, currency: string): Quote | undefined;
  /** All pairs of a source. */
  quotes(source: PriceSourceName): Quote[];
}

/** Price and time of a pair at the moment of asking. */
type Reading = () => Pick<Quote, 'price' | 'at'>;
type Pair = Pick<Quote, 'source' | 'asset' | 'currency'> & { readonly read: Reading };

/** Opens a market on which a tape plays; `now` is the time by the clock of the machine. */
export function openMarket(first: Tape, now: () => Date): Market {
  let playing = first;
  let pairs = pairsOf(first, now);
  return {
    tape: () => playing,
    play(tape) {
      playing = tape;
      pairs = pairsOf(tape, now);
    },
    set({ sources, asset, currency, price, at }) {
      for (const source of sources) {
        const name = nameOf({ source, asset, currency });
        if (price === null) pairs.delete(name);
        else pairs.set(name, { source, asset, currency, read: () => ({ price, at: at ?? now() }) });
      }
    },
    quote(source, asset, currency) {
      const pair = pairs.get(nameOf({ source, asset, currency }));
      return pair === undefined ? undefined : quoteOf(pair);
    },
    quotes: (source) => [...pairs.values()].filter((pair) => pair.source === source).map(quoteOf),
  };
}

/** All pairs of a tape that begins now. */
function pairsOf(tape: Tape, now: () => Date): Map<string, Pair> {
  const begun = now();
  const timeAt = (source: PriceSourceName): Date => (tape.isSilent(source) ? begun : now());
  const pairs = PRICE_SOURCES.flatMap((source) =>
    COINS.flatMap((asset) =>
      CURRENCIES.map((currency): Pair => {
        const read: Reading = () => {
          const at = timeAt(source);
          const seconds = (at.getTime() - begun.getTime()) / 1_000;
          return { price: tape.priceAt(source, asset, currency, seconds), at };
        };
        return { source, asset, currency, read };
      }),
    ),
  );
  return new Map(pairs.map((pair) => [nameOf(pair), pair]));
}

function quoteOf({ source, asset, currency, read }: Pair): Quote {
  return { source, asset, currency, ...read() };
}

function nameOf({ source, asset, currency }: Pick<Pair, 'source' | 'asset' | 'currency'>): string {
  return `${source} ${asset}-${currency}`;
}
