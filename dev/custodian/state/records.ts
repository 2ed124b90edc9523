/** The rows of the journal. */
import { z } from 'zod';
import { NETWORKS } from '../assets.ts';

const Units = z.coerce.bigint();

export const Vault = z.object({
  id: z.string(),
  name: z.string(),
  hiddenOnUI: z.boolean(),
  customerRefId: z.string().nullable(),
  autoFuel: z.boolean(),
});
export type Vault = z.output<typeof Vault>;

/** An address of a wallet. A wallet exists if it has an address with index 0. */
export const Address = z.object({
  vault: z.string(),
  asset: z.string(),
  address: z.string(),
  tag: z.string(),
  index: z.number(),
  description: z.string(),
  customerRefId: z.string().nullable(),
});
export type Address = z.output<typeof Address>;

export const STATUSES = [
  'SUBMITTED',
  'PENDING_AML_SCREENING',
  'PENDING_AUTHORIZATION',
  'QUEUED',
  'PENDING_SIGNATURE',
  'PENDING_3RD_PARTY',
  'PENDING_3RD_PARTY_MANUAL_APPROVAL',
  'BROADCASTING',
  'CONFIRMING',
  'CANCELLING',
  'COMPLETED',
  'CANCELLED',
  'REJECTED',
  'BLOCKED',
  'FAILED',
] as const;
export type Status = (typeof STATUSES)[number];

/** One end of a transaction. */
const Peer = z.object({
  type: z.enum(['VAULT_ACCOUNT', 'ONE_TIME_ADDRESS', 'UNKNOWN', 'GAS_STATION']),
  id: z.string(),
  name: z.string(),
});
export type Peer = z.output<typeof Peer>;

/** A status that a transaction is to reach instead of COMPLETED. It stays there if the status is not final. */
const Fate = z.object({ status: z.enum(STATUSES), subStatus: z.string() });
type Fate = z.output<typeof Fate>;

/** The fate of the next outgoing transaction; `STUCK` offers less than the market price. */
export type NextFate = Fate | { readonly status: 'STUCK' };

export const Transaction = z.object({
  id: z.string(),
  externalTxId: z.string().nullable(),
  customerRefId: z.string().nullable(),
  note: z.string(),
  network: z.enum(NETWORKS),
  asset: z.string(),
  decimals: z.number(),
  source: Peer,
  destination: Peer,
  sourceAddress: z.string(),
  destinationAddress: z.string(),
  destinationTag: z.string(),
  status: z.enum(STATUSES),
  subStatus: z.string(),
  fate: Fate.nullable(),
  requested: Units,
  /** What the recipient gets, in the smallest unit of the asset. */
  amount: Units,
  /** Fee in the smallest unit of the gas asset, and the price for one unit of work. */
  fee: Units,
  rate: Units,
  /** Ids of the first transaction with the same nonce, and of the parent that it pays for. */
  replaces: z.string().nullable(),
  paysFor: z.string().nullable(),
  txHash: z.string(),
  /** Index of its output in the transaction on the chain. */
  index: z.number(),
  /** Height of the block that contains it. */
  height: z.number().nullable(),
  createdAt: z.number(),
  lastUpdated: z.number(),
});
export type Transaction = z.output<typeof Transaction>;

export const Chain = z.object({
  network: z.enum(NETWORKS),
  height: z.number(),
  /** Market price: the least that a miner accepts for one unit of work. */
  rate: Units,
  /** One entry for each reorganisation: from this height on block hashes are made with the salt. */
  forks: z.array(z.object({ from: z.number(), salt: z.string() })),
});
export type Chain = z.output<typeof Chain>;

export const Settings = z.object({
  /** Whether blocks are mined on a timer. */
  automaticBlocks: z.boolean(),
  blockSeconds: z.number(),
  /** How long a transaction stays in each status before it is broadcast. */
  stepMs: z.number(),
  /** Whether a vault that receives a token also receives gas. */
  gasStation: z.boolean(),
});
export type Settings = z.output<typeof Settings>;

/** An externalTxId. It is taken for ever, even without a transaction. */
export const ExternalId = z.object({ id: z.string(), transaction: z.string().nullable() });
export type ExternalId = z.output<typeof ExternalId>;

/** The answer kept for an Idempotency-Key; its status is null after an internal error. */
export const KeptAnswer = z.object({ at: z.number(), status: z.number().nullable(), body: z.unknown() });
export type KeptAnswer = z.output<typeof KeptAnswer>;

/** A webhook; each attempt sends the same body. */
export const Notification = z.object({
  id: z.string(),
  resourceId: z.string(),
  body: z.string(),
  createdAt: z.number(),
  /** `lost` means that the control API asked to drop it. */
  state: z.enum(['waiting', 'delivered', 'failed', 'lost']),
  attempts: z.number(),
});
export type Notification = z.output<typeof Notification>;

/** A key for webhooks. The newest one signs; all are published. */
export const SigningKey = z.object({ kid: z.string(), pem: z.string() });
export type SigningKey = z.output<typeof SigningKey>;

/** A random value that is drawn once. */
export const Secret = z.object({ text: z.string() });
