/** Settings of coins, their custodian and their prices. */
import { z } from 'zod';
import { CHAINS } from './domain/addresses/address.ts';
import { PRICE_SOURCES } from './domain/crypto/prices.ts';
import { address, list, port, text } from './setting-kinds.ts';

const HTTP_URL = z.url({ protocol: /^https?$/ });
const PRICE_SOURCES_FORM =
  'must be names and addresses such as coinbase=https://api.exchange.coinbase.com, comma separated; names are ' +
  `${PRICE_SOURCES.join(', ')}, each at most once`;

/** Sources of prices with their addresses, `coinbase=https://…,okx=https://…`; without slashes at the end. */
const priceSources = list.transform((items, ctx) => {
  const sources = items.flatMap((item) => {
    const [, named, given] = /^([^=]+)=(.+?)\/*$/.exec(item) ?? [];
    const name = PRICE_SOURCES.find((one) => one === named);
    const url = HTTP_URL.safeParse(given);
    return name === undefined || !url.success ? [] : [{ name, url: url.data }];
  });
  const names = new Set(sources.map(({ name }) => name));
  if (sources.length === items.length && names.size === items.length && items.length > 0) return sources;
  ctx.addIssue({ code: 'custom', message: PRICE_SOURCES_FORM });
  return z.NEVER;
});

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
  CRYPTO_RECONCILE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_600)
    .default(60)
    .describe(
      'how often workers compare what the custodian holds of each coin with the books; `npm start` sets it to 5',
    ),
  CUSTODIAN_CONTROL_PORT: port
    .optional()
    .describe(
      'port on loopback at which the sandbox custodian is controlled, and to which /v1/sandbox/custodian leads; `npm start` sets it to 7073; refused in production',
    ),
  PRICE_SOURCES: priceSources
    .optional()
    .describe(
      'exchanges that are asked for the prices of coins, with their addresses: `coinbase=https://api.exchange.coinbase.com,bitstamp=https://www.bitstamp.net,okx=https://www.okx.com` or some of these; `npm start` sets it to those of the sandbox; if unset, coins have no prices',
    ),
  PRICE_POLL_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(300)
    .default(5)
    .describe('how often workers ask the sources for the prices of coins; `npm start` sets it to 2'),
  PRICE_MAX_AGE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_600)
    .default(30)
    .describe('seconds for which the price of a coin counts, from the time that its source gives it'),
  PRICES_PORT: port
    .optional()
    .describe(
      'port on loopback of the sandbox of price sources, to which /v1/sandbox/prices leads; `npm start` sets it to 7074; refused in production',
    ),
};
