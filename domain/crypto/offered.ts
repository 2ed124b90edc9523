/**
 * How the coins that a new bank knows move on networks. They are rows once the migrator has brought them, and administrators change them;
 * a coin or network that is added here is added to old banks too.
 */
import type { Chains, Network } from '../addresses/address.ts';
import type { MemoRule } from '../addresses/memo.ts';

/** The custodian's name for a coin on a network, and the contract if it is a token there. */
interface OnChain {
  readonly custodyAsset: string;
  readonly contract?: string;
}

/** A coin on a network. Amounts are minor units of the books; `scale` is how many digits the chain counts in. */
export interface OfferedNetwork extends Readonly<Record<Chains, OnChain>> {
  readonly asset: string;
  readonly network: Network;
  readonly scale: number;
  readonly confirmations: number;
  readonly minDeposit: bigint;
  readonly minWithdrawal: bigint;
  readonly memo: MemoRule;
}

type Terms = Omit<OfferedNetwork, 'asset' | 'network' | Chains | 'memo'> & { readonly memo?: MemoRule };

function coin(
  [asset, network]: readonly [string, Network],
  [mainnet, testnet]: readonly [OnChain, OnChain],
  { memo = 'none', ...terms }: Terms,
): OfferedNetwork {
  return { asset, network, mainnet, testnet, memo, ...terms };
}

function token(
  [asset, network]: readonly [string, Network],
  [mainnet, testnet]: readonly [readonly [string, string], readonly [string, string?]],
  terms: Terms,
): OfferedNetwork {
  const [name, contract] = testnet;
  const onTest = contract === undefined ? { custodyAsset: name } : { custodyAsset: name, contract };
  return coin([asset, network], [{ custodyAsset: mainnet[0], contract: mainnet[1] }, onTest], terms);
}

const named = (mainnet: string, testnet: string): readonly [OnChain, OnChain] => [
  { custodyAsset: mainnet },
  { custodyAsset: testnet },
];
/** A dollar in tokens of six digits in the books. */
const STABLE = { minDeposit: 1_000_000n, minWithdrawal: 5_000_000n };

export const OFFERED_NETWORKS: readonly OfferedNetwork[] = [
  coin(['BTC', 'bitcoin'], named('BTC', 'BTC_TEST'), {
    ...{ scale: 8, confirmations: 3, minDeposit: 1_000n, minWithdrawal: 10_000n },
  }),
  coin(['LTC', 'litecoin'], named('LTC', 'LTC_TEST'), {
    ...{ scale: 8, confirmations: 6, minDeposit: 100_000n, minWithdrawal: 1_000_000n },
  }),
  coin(['DOGE', 'dogecoin'], named('DOGE', 'DOGE_TEST'), {
    ...{ scale: 8, confirmations: 20, minDeposit: 100_000_000n, minWithdrawal: 500_000_000n },
  }),
  coin(['ETH', 'ethereum'], named('ETH', 'ETH_TEST5'), {
    ...{ scale: 18, confirmations: 12, minDeposit: 10n ** 15n, minWithdrawal: 10n ** 16n },
  }),
  coin(['SOL', 'solana'], named('SOL', 'SOL_TEST'), {
    ...{ scale: 9, confirmations: 32, minDeposit: 10_000_000n, minWithdrawal: 50_000_000n },
  }),
  coin(['XRP', 'ripple'], named('XRP', 'XRP_TEST'), {
    ...{ scale: 6, confirmations: 1, minDeposit: 1_000_000n, minWithdrawal: 2_000_000n, memo: 'optional' },
  }),
  coin(['TRX', 'tron'], named('TRX', 'TRX_TEST'), {
    ...{ scale: 6, confirmations: 19, minDeposit: 10_000_000n, minWithdrawal: 20_000_000n },
  }),
  coin(['XLM', 'stellar'], named('XLM', 'XLM_TEST'), {
    ...{ scale: 7, confirmations: 1, minDeposit: 10_000_000n, minWithdrawal: 50_000_000n, memo: 'optional' },
  }),
  token(
    ['USDC', 'ethereum'],
    [
      ['USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
      ['USDC_ETH_TEST5_0GER', '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238'],
    ],
    { ...STABLE, scale: 6, confirmations: 12 },
  ),
  token(
    ['USDC', 'polygon'],
    [
      ['USDC_POLYGON_NXTB', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'],
      ['USDC_POLYGON_TEST', '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582'],
    ],
    { ...STABLE, scale: 6, confirmations: 128 },
  ),
  token(
    ['USDC', 'bnb'],
    [
      ['USDC_BSC', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'],
      ['USDC_BSC_TEST', '0x64544969ed7EBf5f083679233325356EbE738930'],
    ],
    { ...STABLE, scale: 18, confirmations: 15 },
  ),
  token(
    ['USDC', 'solana'],
    [
      ['SOL_USDC_PTHX', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
      ['SOL_USDC_TEST', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'],
    ],
    { ...STABLE, scale: 6, confirmations: 32 },
  ),
  token(
    ['USDC', 'stellar'],
    [
      ['XLM_USDC_5F3T', 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN'],
      ['XLM_USDC_TEST', 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'],
    ],
    { ...STABLE, scale: 7, confirmations: 1, memo: 'optional' },
  ),
  token(
    ['USDT', 'ethereum'],
    [
      ['USDT_ERC20', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
      ['USDT_ETH_TEST5', '0x7169D38820dfd117C3FA1f22a697dBA58d90BA06'],
    ],
    { ...STABLE, scale: 6, confirmations: 12 },
  ),
  token(
    ['USDT', 'polygon'],
    [['USDT_POLYGON', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'], ['USDT_POLYGON_TEST']],
    { ...STABLE, scale: 6, confirmations: 128 },
  ),
  token(
    ['USDT', 'bnb'],
    [
      ['USDT_BSC', '0x55d398326f99059fF775485246999027B3197955'],
      ['USDT_BSC_TEST', '0x337610d27c682E347C9cD60BD4b3b107C9d34dDd'],
    ],
    { ...STABLE, scale: 18, confirmations: 15 },
  ),
  token(
    ['USDT', 'tron'],
    [
      ['TRX_USDT_S2UZ', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
      ['TRX_USDT_TEST', 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'],
    ],
    { ...STABLE, scale: 6, confirmations: 19 },
  ),
  token(
    ['USDT', 'solana'],
    [['SOL_USDT_EWAY', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'], ['SOL_USDT_TEST']],
    { ...STABLE, scale: 6, confirmations: 32 },
  ),
];
