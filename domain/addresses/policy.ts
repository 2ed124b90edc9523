/** Where the bank sends no coins although the address is in order. */
import { bech32, bech32m } from '@scure/base';
import { bytesToHex } from '@noble/hashes/utils.js';
import { OFFERED_NETWORKS } from '../crypto/offered.ts';
import { CHAINS, type Network } from './address.ts';
import { readBase58 } from './base58-check.ts';
import { SEGWIT } from './bitcoin-like.ts';

const EVM_NETWORKS: readonly Network[] = ['ethereum', 'polygon', 'bnb'];

/** Hashes and keys that nobody has the secret of, as hexadecimal digits; beside those of which every byte is the same. */
const NOBODYS: readonly string[] = [
  // of chains after Ethereum
  '000000000000000000000000000000000000dead',
  'dead000000000000000042069420694206942069',
  'deaddeaddeaddeaddeaddeaddeaddeaddead0001',
  // BIP-341: the point of which nobody knows the logarithm
  '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0',
];

/** Addresses whose key nobody has, or everybody. */
const BURNED: Readonly<Partial<Record<Network, readonly string[]>>> = {
  bitcoin: ['1BitcoinEaterAddressDontSendf59kuE', '1CounterpartyXXXXXXXXXXXXXXXUWLpVr'],
  dogecoin: ['DDogepartyxxxxxxxxxxxxxxxxxxw1dfzr'],
  tron: ['TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'],
  ripple: [
    'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
    'rrrrrrrrrrrrrrrrrrrrBZbvji',
    'rrrrrrrrrrrrrrrrrNAMEtxvNvQ',
    'rrrrrrrrrrrrrrrrrrrn5RM1rHd',
    'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  ],
  stellar: ['GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF'],
};

/** Programs that people mistake for wallets, wherever they run; beside the contracts of the tokens that the bank knows. */
const PROGRAMS: readonly string[] = [
  // staking, Ether and POL as tokens, and tokens that came over bridges
  '0x00000000219ab540356cBB839Cbe05303d7705Fa',
  '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
  '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
  // TRX as a token
  'TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR',
  // tokens of Solana, their accounts, SOL as a token, memos, and exchanges
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'So11111111111111111111111111111111111111112',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
  'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
  ...OFFERED_NETWORKS.flatMap((offered) => CHAINS.map((chains) => offered[chains].contract ?? '')),
];
/** Programs and values of Solana itself have names that are filled up with ones. */
const NATIVE_PROGRAM = /1{8}$/;
/** The last number that chains after Ethereum give to functions of their own. */
const LAST_PRECOMPILE = 0xffffn;

/** Why the bank sends nothing to an address that is in order. */
export const POLICY_FAULTS = {
  burn_address: 'belongs to nobody: what is sent there is lost',
  precompile: 'is a function of the chain and no wallet',
  contract_address: 'is the contract of a token, or another program, and no wallet',
  own_address: 'is one at which this bank itself receives coins',
} as const;
export type PolicyFault = keyof typeof POLICY_FAULTS;

/** What speaks against an address that has been read; `contracts` are those of the tokens on the network. */
export function policyFault(
  network: Network,
  address: string,
  contracts: readonly string[],
): PolicyFault | null {
  if (BURNED[network]?.includes(address) === true) return 'burn_address';
  const payload = payloadOf(network, address);
  if (payload !== undefined) {
    if (isUniform(payload) || NOBODYS.includes(payload)) return 'burn_address';
    const isAfterEthereum = EVM_NETWORKS.includes(network) || network === 'tron';
    if (isAfterEthereum && BigInt(`0x${payload}`) <= LAST_PRECOMPILE) return 'precompile';
  }
  if (network === 'solana' && NATIVE_PROGRAM.test(address)) return 'contract_address';
  return contracts.includes(address) || PROGRAMS.includes(address) ? 'contract_address' : null;
}

/** The hash or the key in an address, as hexadecimal digits; of the chains where it can be nobody's. */
function payloadOf(network: Network, address: string): string | undefined {
  if (EVM_NETWORKS.includes(network)) return address.slice(2).toLowerCase();
  if (!['bitcoin', 'litecoin', 'dogecoin', 'tron'].includes(network)) return undefined;
  if (SEGWIT.test(address)) return bytesToHex(programOf(address));
  const bytes = readBase58(address);
  // a version stands before it, and a checksum behind
  return bytes && bytesToHex(bytes.subarray(1, -4));
}

/** The program of a segwit address, which has been read. */
function programOf(address: string): Uint8Array {
  const { words } = bech32.decodeUnsafe(address) ?? bech32m.decode(address);
  return bech32.fromWords(words.slice(1));
}

function isUniform(digits: string): boolean {
  return new RegExp(`^(${digits.slice(0, 2)})+$`).test(digits);
}
