/** Settings of coins. */
import { z } from 'zod';
import { CHAINS } from './domain/addresses/address.ts';

export const cryptoSettings = {
  CRYPTO_CHAINS: z
    .enum(CHAINS)
    .optional()
    .describe(
      'whether coins move on the networks where they are worth something: `mainnet` or `testnet`; default `mainnet` in production, else `testnet`',
    ),
};
