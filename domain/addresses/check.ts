/** Whether the bank can send coins to an address: its form by chain, then the bank's policy, then the memo. */
import {
  FORM_FAULTS,
  type Chains,
  type FormFault,
  type Memo,
  type Network,
  type ReadAddress,
  type ReadForm,
} from './address.ts';
import { readBitcoin, readDogecoin, readLitecoin } from './bitcoin-like.ts';
import { readEvm } from './evm.ts';
import { MEMO_FAULTS, readMemo, type GivenMemo, type MemoFault, type MemoRule } from './memo.ts';
import { POLICY_FAULTS, policyFault, type PolicyFault } from './policy.ts';
import { readRipple } from './ripple.ts';
import { readSolana } from './solana.ts';
import { readStellar } from './stellar.ts';
import { readTron } from './tron.ts';

const FORMS: Readonly<Record<Network, ReadForm>> = {
  bitcoin: readBitcoin,
  litecoin: readLitecoin,
  dogecoin: readDogecoin,
  ethereum: readEvm,
  polygon: readEvm,
  bnb: readEvm,
  tron: readTron,
  solana: readSolana,
  ripple: readRipple,
  stellar: readStellar,
};

/** Why no coins can be sent to an address; each completes a sentence that begins with "The address". */
export const ADDRESS_FAULTS = { ...FORM_FAULTS, ...POLICY_FAULTS, ...MEMO_FAULTS } as const;
export type AddressFault = FormFault | PolicyFault | MemoFault;

/** Where somebody wants to send coins. */
export interface Destination {
  readonly network: Network;
  readonly chains: Chains;
  readonly address: string;
  readonly memo: GivenMemo | null;
}

/** What the bank's rows say of the asset on the network. */
export interface DestinationRules {
  readonly memo: MemoRule;
  /** Contracts of the tokens that the bank offers on the network, as the chain writes addresses. */
  readonly contracts: readonly string[];
}

/** Networks that move nothing but their own coin. */
const NO_TOKENS: readonly Network[] = ['bitcoin', 'litecoin', 'dogecoin'];

/** Where coins can be sent to, in the form in which the bank keeps it. */
export interface CheckedDestination {
  readonly address: string;
  readonly memo: Memo | null;
}

/** A text as an address of a network, or what is wrong with its form. Says nothing of whether the bank would send there. */
export function readAddress(network: Network, text: string, chains: Chains): ReadAddress | FormFault {
  return FORMS[network](text, chains);
}

/** The address in its one form, or what is wrong with it. Reads one form of one chain: no name, no URI, no other way to write it. */
export function checkDestination(
  { network, chains, address, memo: given }: Destination,
  rules: DestinationRules,
): CheckedDestination | AddressFault {
  const read = FORMS[network](address, chains);
  if (typeof read === 'string') return read;
  const fault = policyFault(network, read.address, rules.contracts);
  if (fault !== null) return fault;
  const memo = readMemo(network, rules.memo, read.memo, given);
  return typeof memo === 'string' ? memo : { address: read.address, memo };
}

/** The contract or issuer of a token in the form of its chain; none if it cannot be one. Those of Solana may lie beside the curve. */
export function contractOf(network: Network, text: string, chains: Chains): string | undefined {
  if (NO_TOKENS.includes(network)) return undefined;
  const read = FORMS[network](text, chains);
  if (network === 'solana' && read === 'not_on_curve') return text;
  return typeof read === 'string' || read.memo !== null ? undefined : read.address;
}
