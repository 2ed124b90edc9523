/** Tapes: recorded prices of all coins, which a market plays step by step. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { z } from 'zod';
import { PRICE_SOURCES, type PriceSourceName } from '../../domain/crypto/prices.ts';
import { DECIMAL, product } from './decimals.ts';

/** Coins that every tape has. */
export const COINS = ['BTC', 'LTC', 'DOGE', 'ETH', 'USDC', 'USDT', 'SOL', 'XRP', 'TRX', 'XLM'] as const;
/** Currencies in which every tape has them. */
export const CURRENCIES = ['EUR', 'USD', 'GBP', 'CHF'] as const;
type Coin = (typeof COINS)[number];
type Currency = (typeof CURRENCIES)[number];

const FOLDER = join(import.meta.dirname, 'tapes');
const Decimal = z.string().regex(DECIMAL, 'must be a decimal such as "60000.00"');

const Recording = z.strictObject({
  about: z.string(),
  every_seconds: z.int().min(1),
  /** Whether it begins anew after its last step; otherwise that step stays. */
  loops: z.boolean(),
  /** Units of each currency for one euro. */
  currencies: z.record(z.enum(CURRENCIES), Decimal),
  /** How each source differs from the steps: in all prices, and in those of single coins. A silent one stays at the first step. */
  sources: z.record(
    z.enum(PRICE_SOURCES),
    z.strictObject({
      factor: Decimal,
      coins: z.partialRecord(z.enum(COINS), Decimal).default({}),
      silent: z.boolean().default(false),
    }),
  ),
  /** In euros, with as many decimals as the sources show. A step after the first has only the coins that have changed. */
  steps: z.tuple([z.record(z.enum(COINS), Decimal)], z.partialRecord(z.enum(COINS), Decimal)),
});

/** Prices of all coins over time, at every source. */
export interface Tape {
  readonly name: string;
  readonly about: string;
  /** Seconds from its beginning until it repeats or stays. */
  readonly seconds: number;
  isSilent(source: PriceSourceName): boolean;
  /** Price at a source, so many seconds after the tape began. */
  priceAt(source: PriceSourceName, coin: Coin, currency: Currency, seconds: number): string;
}

/** Reads a tape; throws if it lacks a coin, a currency or a source. */
export function readTape(name: string, text: string): Tape {
  const recording = Recording.parse(JSON.parse(text));
  const { about, every_seconds: every, loops, currencies, sources } = recording;
  const [first, ...changes] = recording.steps;
  const steps = [first];
  for (const change of changes) steps.push({ ...first, ...steps.at(-1), ...change });
  const stepAt = (seconds: number): Record<Coin, string> => {
    const passed = Math.max(0, Math.floor(seconds / every));
    return steps[loops ? passed % steps.length : Math.min(passed, steps.length - 1)] ?? first;
  };
  return {
    ...{ name, about, seconds: every * steps.length },
    isSilent: (source) => sources[source].silent,
    priceAt(source, coin, currency, seconds) {
      const { factor, coins, silent } = sources[source];
      const level = stepAt(silent ? 0 : seconds)[coin];
      return product(level, currencies[currency], factor, coins[coin] ?? '1');
    },
  };
}

/** All tapes of the folder, by name. */
export function readTapes(): ReadonlyMap<string, Tape> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return new Map(
    files.toSorted().map((file) => {
      const { name } = parse(file);
      return [name, readTape(name, readFileSync(join(FOLDER, file), 'utf8'))];
    }),
  );
}
