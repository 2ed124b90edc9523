/** The chains: height, block hashes, forks and the market price of fees. */
import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { RULES, type Network } from '../assets.ts';
import type { Journal, Table } from '../state/journal.ts';
import { Chain } from '../state/records.ts';

const GENESIS_HEIGHT = 1_000;
export const FEE_LEVELS = ['low', 'medium', 'high'] as const;
export type FeeLevel = (typeof FEE_LEVELS)[number];
/** What a fee level offers, in tenths of the market price. */
const OFFERS: Readonly<Record<FeeLevel, bigint>> = { low: 10n, medium: 15n, high: 30n };
/** The market price at each level, in tenths of `lowRate`. */
const MARKETS: Readonly<Record<FeeLevel, bigint>> = { low: 10n, medium: 25n, high: 100n };

export interface Chains {
  of(network: Network): Chain;
  /** Hash of the block at that height on the current fork. */
  blockHash(network: Network, height: number): string;
  grow(network: Network): void;
  /** Replaces the newest blocks by the same number of other blocks. */
  fork(network: Network, depth: number, salt: string): void;
  /** Sets the market price, by level or directly. */
  setMarket(network: Network, level: FeeLevel | bigint): void;
  /** The price for one unit of work that a fee level offers. */
  offer(network: Network, level: FeeLevel): bigint;
}

/** Reads the chains from the journal; a missing chain starts at its first height. */
export function openChains(journal: Journal): Chains {
  const rows: Table<Chain> = journal.table('chains', Chain);
  const of = (network: Network): Chain =>
    rows.get(network) ?? { network, height: GENESIS_HEIGHT, rate: RULES[network].lowRate, forks: [] };
  return {
    of,
    blockHash(network, height) {
      const salt = of(network).forks.findLast(({ from }) => from <= height)?.salt ?? '';
      return hashOf(network, `block ${String(height)} ${salt}`);
    },
    grow(network) {
      const chain = of(network);
      rows.set(network, { ...chain, height: chain.height + 1 });
    },
    fork(network, depth, salt) {
      const chain = of(network);
      rows.set(network, { ...chain, forks: [...chain.forks, { from: chain.height - depth + 1, salt }] });
    },
    setMarket(network, level) {
      const rate = typeof level === 'bigint' ? level : (RULES[network].lowRate * MARKETS[level]) / 10n;
      rows.set(network, { ...of(network), rate });
    },
    offer: (network, level) => (of(network).rate * OFFERS[level] + 9n) / 10n,
  };
}

/** Units of work for a transfer of that asset. */
export function workOf(network: Network, asset: string): bigint {
  const { gas, work } = RULES[network];
  return asset === gas ? work.native : work.token;
}

/** A hash in the notation of the network. */
export function hashOf(network: Network, text: string): string {
  const bytes = createHash('sha256').update(`${network} ${text}`).digest();
  const hex = bytes.toString('hex');
  switch (network) {
    case 'ethereum':
    case 'polygon':
    case 'bnb':
      return `0x${hex}`;
    case 'solana':
      return base58.encode(Uint8Array.from([...bytes, ...createHash('sha256').update(bytes).digest()]));
    case 'ripple':
      return hex.toUpperCase();
    case 'bitcoin':
    case 'litecoin':
    case 'dogecoin':
    case 'tron':
    case 'stellar':
      return hex;
  }
}
