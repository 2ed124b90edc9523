/** What the custodian knows, as it is kept on disk. */
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

/** An address of a wallet; the first of them makes the wallet. */
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

/** What a transaction comes to instead of its usual end; one that does not end waits there until it is moved on. */
const Fate = z.object({ status: z.enum(STATUSES), subStatus: z.string() });
type Fate = z.output<typeof Fate>;

/** What the next transaction out of a vault comes to; `STUCK` offers the miners too little. */
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
  /** What arrives, in the smallest unit of the asset. */
  amount: Units,
  /** What it costs, in the smallest unit of the gas asset, and what it offers for a unit of work. */
  fee: Units,
  rate: Units,
  /** The transaction whose place on the chain it takes, and the one whose output it spends so that both are mined. */
  replaces: z.string().nullable(),
  paysFor: z.string().nullable(),
  txHash: z.string(),
  /** Of a transaction with several outputs. */
  index: z.number(),
  /** The block that has it. */
  height: z.number().nullable(),
  createdAt: z.number(),
  lastUpdated: z.number(),
});
export type Transaction = z.output<typeof Transaction>;

export const Chain = z.object({
  network: z.enum(NETWORKS),
  height: z.number(),
  /** The least that a miner takes for a unit of work. */
  rate: Units,
  /** From which height on blocks have other hashes: one for each reorganisation. */
  forks: z.array(z.object({ from: z.number(), salt: z.string() })),
});
export type Chain = z.output<typeof Chain>;

export const Settings = z.object({
  /** Whether blocks come by themselves, and how often. */
  automaticBlocks: z.boolean(),
  blockSeconds: z.number(),
  /** How long a transaction stays in each status before it is broadcast. */
  stepMs: z.number(),
  /** Whether a vault that receives a token is given what its next transfer costs. */
  gasStation: z.boolean(),
});
export type Settings = z.output<typeof Settings>;

/** An id that a caller has used for a transaction: it is taken for ever, whatever came of it. */
export const ExternalId = z.object({ id: z.string(), transaction: z.string().nullable() });
export type ExternalId = z.output<typeof ExternalId>;

/** The answer to an Idempotency-Key; without a status after an internal error. */
export const KeptAnswer = z.object({ at: z.number(), status: z.number().nullable(), body: z.unknown() });
export type KeptAnswer = z.output<typeof KeptAnswer>;

/** A message to the bank, as it is sent every time. */
export const Notification = z.object({
  id: z.string(),
  resourceId: z.string(),
  body: z.string(),
  createdAt: z.number(),
  /** `lost`: it was to be dropped. */
  state: z.enum(['waiting', 'delivered', 'failed', 'lost']),
  attempts: z.number(),
});
export type Notification = z.output<typeof Notification>;

/** A key that signs webhooks; the newest signs, all are published. */
export const SigningKey = z.object({ kid: z.string(), pem: z.string() });
export type SigningKey = z.output<typeof SigningKey>;

/** What was drawn by chance once. */
export const Secret = z.object({ text: z.string() });
