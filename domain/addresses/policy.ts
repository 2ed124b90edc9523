/** Where the bank sends no coins although the address is in order. */
import type { Network } from './address.ts';

const EVM_NETWORKS: readonly Network[] = ['ethereum', 'polygon', 'bnb'];

/** Addresses of chains after Ethereum whose key nobody has: what is sent to them is lost. */
const EVM_BURNED = [
  '0x0000000000000000000000000000000000000000',
  '0x000000000000000000000000000000000000dEaD',
  '0xdEAD000000000000000042069420694206942069',
  '0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001',
  '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  '0xFFfFfFffFFfffFFfFFfFFFFFffFFFffffFfFFFfF',
];

/** Addresses whose key nobody has, or everybody. */
const BURNED: Readonly<Record<Network, readonly string[]>> = {
  bitcoin: [
    '1111111111111111111114oLvT2',
    '1BitcoinEaterAddressDontSendf59kuE',
    '1CounterpartyXXXXXXXXXXXXXXXUWLpVr',
    '31h1vYVSYuKP6AhS86fbRdMw9XHieotbST',
    'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs',
    'mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8',
    'tb1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq0l98cr',
  ],
  litecoin: [
    'LKDxGDJq5fF4FohAB8zJH24mDDNHDNtqsE',
    'M7uAERuQW2AotfyLDyewFGcLUDtAYu9v5V',
    'ltc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqp9ysmq',
    'mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8',
    'tltc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqkh8eg2',
  ],
  dogecoin: [
    'D596YFweJQuHY1BbjazZYmAbt8jJPbKehC',
    '9rSGfPZLcyCGzY4uYEL1fkzJr6fkicS2rs',
    'DDogepartyxxxxxxxxxxxxxxxxxxw1dfzr',
    'nUCAGGgZEPN1QyknmQe1oAku817bQAFKFt',
  ],
  ethereum: EVM_BURNED,
  polygon: EVM_BURNED,
  bnb: EVM_BURNED,
  tron: ['T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'],
  solana: ['1nc1nerator11111111111111111111111111111111'],
  ripple: [
    'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
    'rrrrrrrrrrrrrrrrrrrrBZbvji',
    'rrrrrrrrrrrrrrrrrNAMEtxvNvQ',
    'rrrrrrrrrrrrrrrrrrrn5RM1rHd',
    'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  ],
  stellar: ['GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF'],
};

/** Programs that people mistake for wallets, beside the contracts of the tokens that the bank offers. */
const PROGRAMS: Readonly<Partial<Record<Network, readonly string[]>>> = {
  // staking, and Ether as a token
  ethereum: ['0x00000000219ab540356cBB839Cbe05303d7705Fa', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'],
  // tokens, their accounts, and SOL as a token
  solana: [
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
    'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
    'So11111111111111111111111111111111111111112',
  ],
};

/** The last number that chains after Ethereum give to functions of their own. */
const LAST_PRECOMPILE = 0xffffn;

/** Why the bank sends nothing to an address that is in order. */
export const POLICY_FAULTS = {
  burn_address: 'belongs to nobody: what is sent there is lost',
  precompile: 'is a function of the chain and no wallet',
  contract_address: 'is the contract of a token, or another program, and no wallet',
} as const;
export type PolicyFault = keyof typeof POLICY_FAULTS;

/** What speaks against an address that has been read; `contracts` are those of the tokens on the network. */
export function policyFault(
  network: Network,
  address: string,
  contracts: readonly string[],
): PolicyFault | null {
  if (BURNED[network].includes(address)) return 'burn_address';
  if (EVM_NETWORKS.includes(network) && BigInt(address) <= LAST_PRECOMPILE) return 'precompile';
  if (contracts.includes(address) || PROGRAMS[network]?.includes(address) === true) return 'contract_address';
  return null;
}
