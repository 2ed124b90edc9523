/** What an address of a chain is once it has been read, and why a text is none. */

/** The chains that the bank moves coins on. */
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

/** Whether coins are worth something. */
export const CHAINS = ['mainnet', 'testnet'] as const;
export type Chains = (typeof CHAINS)[number];

/** `tag`: a number of 32 bits on XRP Ledger; `text` and `id`: the two kinds of memo that Stellar's payments carry. */
export const MEMO_TYPES = ['tag', 'text', 'id'] as const;
export type MemoType = (typeof MEMO_TYPES)[number];

/** Says whom a payment is for, where many share one address. */
export interface Memo {
  readonly type: MemoType;
  readonly value: string;
}

/** A text that is an address, in the one form in which the bank keeps and compares it. */
export interface ReadAddress {
  readonly address: string;
  /** What the text held besides, such as the tag of an X-address. */
  readonly memo: Memo | null;
}

/** Why a text is no address that the bank would send to, by the form of its chain. */
export const FORM_FAULTS = {
  not_an_address: 'does not have the form of an address of the network',
  bad_checksum: 'is misspelt: the checksum is another one',
  wrong_network:
    'is an address of another network, or of the test network in the place of the main one, or the reverse',
  unknown_witness_version: 'is of a witness version that has no meaning yet: anybody could take the coins',
  unsupported_type: 'is of a kind that the bank does not send to',
  ambiguous_form:
    'may be meant for another network; ask for the form that starts with M, or with Q for tests',
  not_on_curve: 'is no key: no signature could ever move the coins',
} as const;
export type FormFault = keyof typeof FORM_FAULTS;

/** Reads a text as an address of one chain. */
export type ReadForm = (text: string, chains: Chains) => ReadAddress | FormFault;

/** A plain address, with nothing beside it. */
export const plain = (address: string): ReadAddress => ({ address, memo: null });
