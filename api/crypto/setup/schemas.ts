/** The coins that the bank offers, as the back office sets them up, on the wire. */
import { z } from 'zod';
import { NETWORKS } from '../../../domain/addresses/address.ts';
import { MEMO_RULES } from '../../../domain/addresses/memo.ts';
import { UserId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { CoinAmount, listOf, Money, Timestamp } from '../../wire/shapes.ts';
import { Line } from '../../wire/text.ts';

const changed = { updated_by: UserId.nullable(), updated_at: Timestamp };
const CHANGED_NEVER = { updated_by: null, updated_at: '2026-03-01T09:30:00.000Z' };

const terms = {
  enabled: z.boolean().describe('Whether customers can buy, sell, receive and send it.'),
  spread_bps: z
    .int()
    .min(0)
    .max(5_000)
    .describe('What customers pay beside the middle of the prices, in hundredths of a percent.'),
  min_order: Money.describe('The smallest worth of an order, in the base currency.'),
  max_order: Money.nullable().describe('The largest worth of an order; null is no limit.'),
  breaker_bps: z
    .int()
    .min(1)
    .max(10_000)
    .describe('How far a price may jump before orders stop, in hundredths of a percent.'),
  max_deviation_bps: z
    .int()
    .min(1)
    .max(10_000)
    .describe('How far a source of prices may be from the middle of all and still count.'),
  debits_stopped: z
    .boolean()
    .describe(
      'Whether no coins go out of any customer’s account. The bank stops them itself when the chain takes back a deposit that was credited.',
    ),
};

export const AdminCryptoAsset = named(
  'AdminCryptoAsset',
  z.strictObject({
    code: z.string().describe('Code of the coin.'),
    name: z.string(),
    scale: z.int().describe('Digits after the point in the books.'),
    ...terms,
    ...changed,
  }),
  {
    ...{ code: 'BTC', name: 'Bitcoin', scale: 8, enabled: true, spread_bps: 100 },
    min_order: { amount: '10.00', currency: 'EUR' },
    ...{ max_order: null, breaker_bps: 1_000, max_deviation_bps: 200, debits_stopped: false },
    ...CHANGED_NEVER,
  },
);
export const AdminCryptoAssetList = listOf('AdminCryptoAssetList', AdminCryptoAsset);

export const AdminCryptoAssetUpdate = named(
  'AdminCryptoAssetUpdate',
  z
    .strictObject({
      ...terms,
      min_order: Money.refine(({ minor }) => minor >= 0n, {
        path: ['amount'],
        message: 'must not be below zero',
      }),
    })
    .partial(),
  { spread_bps: 80, max_order: { amount: '50000.00', currency: 'EUR' } },
);

const networkTerms = {
  enabled: z.boolean().describe('Whether the coin is received and sent on this network.'),
  custody_asset: Line(80).describe('The name of the coin on this network at the custodian.'),
  scale: z
    .int()
    .min(0)
    .max(36)
    .describe('Digits that the network counts in. There may be more than in the books.'),
  contract: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .describe('The contract, or the issuer, of a token; null for the coin of the network itself.'),
  confirmations: z.int().min(1).max(10_000).describe('After how many blocks a deposit is credited.'),
  min_deposit: CoinAmount.describe('Smaller deposits are not credited.'),
  min_withdrawal: CoinAmount,
  memo: z.enum(MEMO_RULES).describe('Whether a payment names a memo or a tag beside the address.'),
};

export const AdminCryptoNetwork = named(
  'AdminCryptoNetwork',
  z.strictObject({
    asset: z.string().describe('Code of the coin.'),
    network: z.enum(NETWORKS),
    ...networkTerms,
    ...changed,
  }),
  {
    ...{ asset: 'BTC', network: 'bitcoin', enabled: true, custody_asset: 'BTC', scale: 8, contract: null },
    ...{ confirmations: 3, min_deposit: { amount: '0.00001000', asset: 'BTC' } },
    ...{ min_withdrawal: { amount: '0.00010000', asset: 'BTC' }, memo: 'none', ...CHANGED_NEVER },
  },
);
export const AdminCryptoNetworkList = listOf('AdminCryptoNetworkList', AdminCryptoNetwork);

export const AdminCryptoNetworkUpdate = named(
  'AdminCryptoNetworkUpdate',
  z.strictObject(networkTerms).partial(),
  { confirmations: 6, min_deposit: { amount: '0.0001', asset: 'BTC' } },
);
