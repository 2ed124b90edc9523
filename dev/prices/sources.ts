/** Where the bank finds each source of the sandbox. */
import { PRICE_SOURCES } from '../../domain/crypto/prices.ts';

/** The setting PRICE_SOURCES for a sandbox at this address. */
export function sandboxSources(base: string): string {
  return PRICE_SOURCES.map((name) => `${name}=${base}/${name}`).join(',');
}
