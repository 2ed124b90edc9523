/** Wallets of coins, on the wire. */
import { z } from 'zod';
import { MEMO_TYPES, NETWORKS } from '../../../domain/addresses/address.ts';
import { MEMO_RULES } from '../../../domain/addresses/memo.ts';
import { WALLET_STATUSES } from '../../../domain/crypto/wallets.ts';
import { CryptoWalletId, UserId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { CoinAmount, listOf, Money, Timestamp } from '../../wire/shapes.ts';
import { CryptoPrice, exampleCryptoPrice } from '../prices/schemas.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const OTHER_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3f';
const EXAMPLE_TIME = '2026-03-01T09:30:00.000Z';

const asset = z.string().describe('Code of the coin.');
const network = z.enum(NETWORKS);

const fields = {
  id: CryptoWalletId,
  asset,
  network,
  status: z
    .enum(WALLET_STATUSES)
    .describe(
      '`creating`: the custodian has not opened it yet; ask again later. `retired`: another wallet has taken its place.',
    ),
  address: z.string().nullable().describe('Where to send the coin; null while it is `creating`.'),
  memo: z
    .string()
    .nullable()
    .describe(
      'Must come with every payment, if it is not null: the address is shared, and a payment without it cannot be credited.',
    ),
  memo_type: z.enum(MEMO_TYPES).nullable().describe('What the memo is: a `tag` on the XRP Ledger.'),
  created_at: Timestamp,
};
const example = {
  ...({ id: EXAMPLE_ID, asset: 'BTC', network: 'bitcoin', status: 'active' } as const),
  address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  ...{ memo: null, memo_type: null, created_at: EXAMPLE_TIME },
} as const;

export const CryptoWallet = named('CryptoWallet', z.strictObject(fields), example);
export const CryptoWalletList = listOf('CryptoWalletList', CryptoWallet);

const networkExample = {
  network: 'bitcoin',
  contract: null,
  confirmations: 3,
  min_deposit: { amount: '0.00001000', asset: 'BTC' },
  min_withdrawal: { amount: '0.00010000', asset: 'BTC' },
  memo: 'none',
  wallet: example,
} as const;

const CryptoNetwork = named(
  'CryptoNetwork',
  z.strictObject({
    network,
    contract: z
      .string()
      .nullable()
      .describe('The contract, or the issuer, of a token. Another token is not credited.'),
    confirmations: z.int().describe('After how many blocks a deposit is credited.'),
    min_deposit: CoinAmount.describe('Smaller deposits are not credited.'),
    min_withdrawal: CoinAmount,
    memo: z.enum(MEMO_RULES).describe('Whether payments on it name a memo or a tag beside the address.'),
    wallet: CryptoWallet,
  }),
  networkExample,
);

const assetExample = {
  code: 'BTC',
  name: 'Bitcoin',
  scale: 8,
  min_order: { amount: '10.00', currency: 'EUR' },
  max_order: null,
  price: exampleCryptoPrice,
  networks: [networkExample],
};

export const CryptoAsset = named(
  'CryptoAsset',
  z.strictObject({
    code: asset,
    name: z.string(),
    scale: z.int().describe('Digits after the point in the books.'),
    min_order: Money.describe('The smallest worth of an order.'),
    max_order: Money.nullable().describe('The largest worth of an order; null is no limit.'),
    price: CryptoPrice.nullable().describe('The newest price; null if there is none yet.'),
    networks: z.array(CryptoNetwork).describe('How it can be received and sent.'),
  }),
  assetExample,
);

export const CryptoAssetsResponse = named(
  'CryptoAssetsResponse',
  z.strictObject({ items: z.array(CryptoAsset) }),
  { items: [assetExample] },
);

const digits = z
  .string()
  .describe('Decimal string with the digits of the chain, which may be more than in the books.');

const held = {
  total: digits,
  available: digits,
  pending: digits.describe('On its way in, and not confirmed often enough.'),
  frozen: digits,
  locked: digits.describe('Reserved for payments on their way out.'),
  expected: digits
    .nullable()
    .describe(
      'What the bank knew to be there: what has arrived, on its way or not, and what has moved since. Null if it was not compared.',
    ),
  difference: digits.nullable().describe('`total` less `expected`.'),
  refreshed_at: Timestamp.describe('When the custodian was last asked what the wallet holds.'),
};
const exampleHeld = {
  ...{ total: '0.30000000', available: '0.30000000', pending: '0.00000000' },
  ...{ frozen: '0.00000000', locked: '0.00000000', expected: '0.30000000', difference: '0.00000000' },
  refreshed_at: EXAMPLE_TIME,
};

export const AdminCryptoWallet = named(
  'AdminCryptoWallet',
  z.strictObject({
    ...fields,
    user_id: UserId.nullable().describe('Null for a wallet that customers share.'),
    custody_asset: z.string().describe('The name of the coin on this network at the custodian.'),
    custody_vault: z.string().nullable().describe('The custodian’s number of the vault, once there is one.'),
    held_by: CryptoWalletId.nullable().describe(
      'The wallet at the custodian that what arrives lies in: this one, or the one that it shares with others.',
    ),
    balance: z
      .strictObject(held)
      .nullable()
      .describe(
        'What the custodian said that it holds; null if it was not asked, or if `held_by` is another wallet.',
      ),
  }),
  {
    ...example,
    ...{ user_id: OTHER_ID, custody_asset: 'BTC', custody_vault: '17', held_by: EXAMPLE_ID },
    balance: exampleHeld,
  },
);
export const AdminCryptoWalletList = listOf('AdminCryptoWalletList', AdminCryptoWallet);

export const AdminCryptoWalletBalance = named(
  'AdminCryptoWalletBalance',
  z.strictObject({ wallet_id: CryptoWalletId, asset, network, ...held }),
  { wallet_id: EXAMPLE_ID, asset: 'BTC', network: 'bitcoin', ...exampleHeld },
);
