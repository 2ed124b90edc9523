/** Settings of coins and their custodian. */
import { z } from 'zod';
import { CHAINS } from './domain/addresses/address.ts';
import { port } from './setting-kinds.ts';

export const cryptoSettings = {
  CRYPTO_CHAINS: z
    .enum(CHAINS)
    .optional()
    .describe(
      'whether coins move on the networks where they are worth something: `mainnet` or `testnet`; default `mainnet` in production, else `testnet`',
    ),
  CUSTODIAN_CONTROL_PORT: port
    .optional()
    .describe(
      'port on loopback at which the sandbox custodian is controlled, and to which /v1/sandbox/custodian leads; `npm start` sets it to 7073; refused in production',
    ),
};
