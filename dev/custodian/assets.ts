/** The networks and assets that the sandbox custodian knows, by the ids that Fireblocks uses on test networks. */

export const NETWORKS = [
  'bitcoin',
  'litecoin',
  'dogecoin',
  'ethereum',
  'polygon',
  'bnb',
  'tron',
  'solana',
  'ripple',
  'stellar',
] as const;
export type Network = (typeof NETWORKS)[number];

export interface NetworkRules {
  /** The asset that fees are paid in. */
  readonly gas: string;
  /** Confirmations after which a transaction is COMPLETED. A rule of this sandbox: Fireblocks lets each workspace choose. */
  readonly confirmations: number;
  /** `utxo`: more addresses for a vault, and a child can pay for its parent. `evm`: a transaction can be replaced. */
  readonly kind: 'utxo' | 'evm' | 'account';
  /** Price of one unit of work at the beginning, in the smallest unit of the gas asset: satoshi for a byte, wei for gas. */
  readonly lowRate: bigint;
  /** Units of work for a transfer of the gas asset and for a transfer of a token. */
  readonly work: { readonly native: bigint; readonly token: bigint };
  /** What tells vaults apart that share an address: a number, a text memo, or nothing. */
  readonly tag: 'none' | 'number' | 'memo';
}

const EVM = { kind: 'evm', work: { native: 21_000n, token: 65_000n }, tag: 'none' } as const;
const UTXO = { kind: 'utxo', tag: 'none' } as const;
const ACCOUNT = { kind: 'account', tag: 'none' } as const;

export const RULES: Readonly<Record<Network, NetworkRules>> = {
  bitcoin: { ...UTXO, gas: 'BTC_TEST', confirmations: 3, lowRate: 4n, work: { native: 141n, token: 141n } },
  litecoin: { ...UTXO, gas: 'LTC_TEST', confirmations: 6, lowRate: 2n, work: { native: 141n, token: 141n } },
  dogecoin: {
    ...UTXO,
    ...{ gas: 'DOGE_TEST', confirmations: 6, lowRate: 1_000n, work: { native: 226n, token: 226n } },
  },
  ethereum: { ...EVM, gas: 'ETH_TEST5', confirmations: 12, lowRate: 2_000_000_000n },
  polygon: { ...EVM, gas: 'AMOY_POLYGON_TEST', confirmations: 20, lowRate: 30_000_000_000n },
  bnb: { ...EVM, gas: 'BNB_TEST', confirmations: 15, lowRate: 1_000_000_000n },
  tron: {
    ...ACCOUNT,
    ...{ gas: 'TRX_TEST', confirmations: 19, lowRate: 1_000n, work: { native: 268n, token: 14_000n } },
  },
  solana: { ...ACCOUNT, gas: 'SOL_TEST', confirmations: 1, lowRate: 5_000n, work: { native: 1n, token: 2n } },
  ripple: {
    ...{ kind: 'account', gas: 'XRP_TEST', confirmations: 1, lowRate: 10n, tag: 'number' },
    work: { native: 1n, token: 1n },
  },
  stellar: {
    ...{ kind: 'account', gas: 'XLM_TEST', confirmations: 1, lowRate: 100n, tag: 'memo' },
    work: { native: 1n, token: 1n },
  },
};

export interface Asset {
  readonly id: string;
  readonly name: string;
  readonly network: Network;
  /** Digits after the point on the chain. */
  readonly decimals: number;
  /** Null for the gas asset of the network. */
  readonly contract: string | null;
}

const native = (id: string, name: string, network: Network, decimals: number): Asset => ({
  ...{ id, name, network, decimals },
  contract: null,
});
const token = (id: string, network: Network, decimals: number, contract: string): Asset => ({
  ...{ id, network, decimals, contract },
  name: id.includes('USDC') ? 'USD Coin (test)' : 'Tether USD (test)',
});

const LIST: readonly Asset[] = [
  native('BTC_TEST', 'Bitcoin Test', 'bitcoin', 8),
  native('LTC_TEST', 'Litecoin Test', 'litecoin', 8),
  native('DOGE_TEST', 'Dogecoin Test', 'dogecoin', 8),
  native('ETH_TEST5', 'Ethereum Test (Sepolia)', 'ethereum', 18),
  native('AMOY_POLYGON_TEST', 'Polygon Test (Amoy)', 'polygon', 18),
  native('BNB_TEST', 'BNB Smart Chain Test', 'bnb', 18),
  native('TRX_TEST', 'Tron Test', 'tron', 6),
  native('SOL_TEST', 'Solana Test', 'solana', 9),
  native('XRP_TEST', 'XRP Test', 'ripple', 6),
  native('XLM_TEST', 'Stellar Test', 'stellar', 7),
  token('USDC_ETH_TEST5_0GER', 'ethereum', 6, '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238'),
  token('USDT_ETH_TEST5', 'ethereum', 6, '0x7169D38820dfd117C3FA1f22a697dBA58d90BA06'),
  token('USDC_POLYGON_TEST', 'polygon', 6, '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582'),
  token('USDT_POLYGON_TEST', 'polygon', 6, '0x1fdE0eCc619726f4cD597887C9F3b4c8740e19e2'),
  token('USDC_BSC_TEST', 'bnb', 18, '0x64544969ed7EBf5f083679233325356EbE738930'),
  token('USDT_BSC_TEST', 'bnb', 18, '0x337610d27c682E347C9cD60BD4b3b107C9d34dDd'),
  token('TRX_USDT_TEST', 'tron', 6, 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'),
  token('SOL_USDC_TEST', 'solana', 6, '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'),
  token('SOL_USDT_TEST', 'solana', 6, 'EJwZgeZrdC8TXTQbQBoL6bfuAnFUUy1PVCMB4DYPzVaS'),
  token('XLM_USDC_TEST', 'stellar', 7, 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'),
];

export const ASSETS: ReadonlyMap<string, Asset> = new Map(LIST.map((asset) => [asset.id, asset]));

/** A token of a contract that Fireblocks does not list: it gets an id of its own, made of the contract. */
export function unlisted(known: Asset, contract: string, suffix: string): Asset {
  return { ...known, id: `${known.id}_${suffix}`, name: `Unlisted token ${contract}`, contract };
}
