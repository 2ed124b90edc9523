/** Addresses of chains, on the wire. */
import { z } from 'zod';
import { CHAINS, MEMO_TYPES, NETWORKS } from '../../../domain/addresses/address.ts';
import { ADDRESS_FAULTS, type AddressFault } from '../../../domain/addresses/check.ts';
import { isReadableText } from '../../../domain/text.ts';
import { named } from '../../wire/naming.ts';
import { AssetCode } from '../asset-code.ts';

const ADDRESS_FAULT_CODES = Object.keys(ADDRESS_FAULTS) as [AddressFault, ...AddressFault[]];

const text = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine(isReadableText, { message: 'must not hold control or direction characters' });

export const address = text(2_000).describe('As the recipient gives it: no link, no name, no contact.');
export const memo = text(200).describe('The memo or the tag that the recipient asks for.');
export const memoType = z
  .enum(MEMO_TYPES)
  .describe('`tag` on the XRP Ledger; `text`, the default, or `id` on Stellar.');

export const CryptoAddressCheckRequest = named(
  'CryptoAddressCheckRequest',
  z.strictObject({
    asset: AssetCode,
    network: z.enum(NETWORKS),
    address,
    memo: memo.optional(),
    memo_type: memoType.optional(),
    chains: z
      .enum(CHAINS)
      .optional()
      .describe(
        'Whether the address is one of the networks where coins are worth something; left out: as the bank sends.',
      ),
  }),
  { asset: 'BTC', network: 'bitcoin', address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' },
);

export const CryptoAddressCheck = named(
  'CryptoAddressCheck',
  z.strictObject({
    valid: z
      .boolean()
      .describe('Whether the coin can be sent there on the network; not whether the bank offers it now.'),
    reason: z
      .enum(ADDRESS_FAULT_CODES)
      .nullable()
      .describe(
        `Null if it is valid. ${Object.entries(ADDRESS_FAULTS)
          .map(([code, fault]) => `\`${code}\`: it ${fault}.`)
          .join(' ')}`,
      ),
    address: z
      .string()
      .nullable()
      .describe('In the one form in which the bank keeps it; null if it is not valid.'),
    memo: z.string().nullable(),
    memo_type: memoType.nullable(),
  }),
  {
    ...{ valid: true, reason: null, address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' },
    ...{ memo: null, memo_type: null },
  },
);
