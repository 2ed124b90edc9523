/**
 * What the books can hold: currencies and coins. The table of assets is the only source of a scale. Each process reads it when it
 * starts and when it is told of new rows, and keeps it here, so that amounts are read and written without waiting for the database.
 */
import { z } from 'zod';

/** The code of anything that the books hold, as people write it: EUR, BTC, OP, 1INCH, USDT. */
export type AssetCode = string;

/** The code of a currency. Every currency is an asset; what is made for currencies alone takes no other code. */
export const StoredCurrency = z.string().brand<'CurrencyCode'>();
export type CurrencyCode = z.output<typeof StoredCurrency>;

export interface Asset {
  readonly code: AssetCode;
  /** `fiat`, `crypto`, or what a later release has added. */
  readonly kind: string;
  /** Digits after the point of its minor unit, at most 18. */
  readonly scale: number;
}

/** The asset is not among those that were read: it was added since, or there is none of this code. */
export class UnknownAsset extends Error {
  override readonly name = 'UnknownAsset';

  constructor(code: AssetCode) {
    super(`the asset ${code} is not known`);
  }
}

const known = new Map<AssetCode, Asset>();

/** Adds to what is known. An asset never changes and is never removed, so nothing is forgotten. */
export function learnAssets(assets: readonly Asset[]): void {
  for (const asset of assets) known.set(asset.code, asset);
}

/** Whether the table has been read. Before that nothing can be said about any code. */
export function knowsAssets(): boolean {
  return known.size > 0;
}

/** The asset of this code. Throws UnknownAsset. */
export function assetOf(code: AssetCode): Asset {
  const asset = known.get(code);
  if (asset === undefined) throw new UnknownAsset(code);
  return asset;
}

/** Digits after the point of the asset's minor unit. Throws UnknownAsset. */
export function scaleOf(code: AssetCode): number {
  return assetOf(code).scale;
}

/** Whether this is the code of a currency that the books hold. Throws UnknownAsset while no asset is known at all. */
export function isCurrency(code: AssetCode): code is CurrencyCode {
  if (!knowsAssets()) throw new UnknownAsset(code);
  return known.get(code)?.kind === 'fiat';
}

/** Whether this is the code of a coin that the books hold. Throws UnknownAsset while no asset is known at all. */
export function isCoin(code: AssetCode): boolean {
  if (!knowsAssets()) throw new UnknownAsset(code);
  return known.get(code)?.kind === 'crypto';
}
