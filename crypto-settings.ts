/** Settings of coins and their custodian. */
import { z } from 'zod';
import { CHAINS } from './domain/addresses/address.ts';
import { address, port, text } from './setting-kinds.ts';

export const cryptoSettings = {
  CRYPTO_CHAINS: z
    .enum(CHAINS)
    .optional()
    .describe(
      'whether coins move on the networks where they are worth something: `mainnet` or `testnet`; default `mainnet` in production, else `testnet`',
    ),
  CUSTODIAN_URL: address('http')
    .optional()
    .describe(
      'address of Fireblocks’ API, `/v1` included, or of the sandbox custodian, to which `npm start` sets it; needs the two settings after it; if unset, no wallet can be opened',
    ),
  CUSTODIAN_API_KEY: text.describe('id of the API user that the custodian knows us by'),
  CUSTODIAN_SECRET_FILE: text.describe(
    'PEM file (PKCS #8) of the RSA key that signs our calls to the custodian; only workers read it',
  ),
  CUSTODIAN_JWKS_URL: address('http')
    .optional()
    .describe(
      'address of the keys that sign the custodian’s webhooks, such as https://keys.fireblocks.io/.well-known/jwks.json; `npm start` sets it to that of the sandbox; only the API reads it; if unset, webhooks are answered with 503',
    ),
  CUSTODIAN_POLL_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_600)
    .default(60)
    .describe('how often workers ask the custodian what has changed, in case its webhooks were lost'),
  CUSTODIAN_CONTROL_PORT: port
    .optional()
    .describe(
      'port on loopback at which the sandbox custodian is controlled, and to which /v1/sandbox/custodian leads; `npm start` sets it to 7073; refused in production',
    ),
};
