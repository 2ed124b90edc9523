/** The bodies of the control API. Errors name the field. */
import { z } from 'zod';
import { ASSETS, NETWORKS } from '../assets.ts';
import { unitsOf } from '../amounts.ts';
import { FEE_LEVELS } from '../chain/chains.ts';
import { FORMATS } from '../chain/address-formats.ts';
import type { Deposit, Output } from '../chain/arriving.ts';
import { STATUSES, type Vault } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { SIGNATURES } from '../webhooks/signing.ts';
import { ownerOf } from '../wallets.ts';

const Network = z.enum(NETWORKS);

export const DepositWish = z.strictObject({
  /** Give an address of a vault, or `vault_id`, which opens the wallet if necessary. */
  address: z.string().optional(),
  vault_id: z.string().optional(),
  asset: z.string(),
  amount: z.string().optional(),
  memo: z.string().default(''),
  /** Outputs of one transaction, instead of address and amount. Outputs to unknown addresses are ignored. */
  outputs: z
    .array(z.strictObject({ address: z.string(), amount: z.string() }))
    .min(1)
    .max(100)
    .optional(),
  /** Contract of a token that Fireblocks does not list. */
  contract: z.string().min(1).optional(),
  /** From which address they come; without it, from one that nobody has used. */
  source_address: z.string().optional(),
});
export type DepositWish = z.output<typeof DepositWish>;

export const BlocksWish = z.strictObject({ network: Network, count: z.int().min(1).max(1_000).default(1) });
export const ReorgWish = z.strictObject({
  network: Network,
  depth: z.int().min(1).max(500),
  /** true: the transactions of the removed blocks fail; false: they return to the mempool. */
  vanish: z.boolean().default(false),
});
export const FeesWish = z.strictObject({
  network: Network,
  level: z.union([
    z.enum(FEE_LEVELS),
    z.int().min(1).transform(BigInt),
    z
      .string()
      .regex(/^[1-9]\d{0,30}$/)
      .transform(BigInt),
  ]),
});

const upper = (text: unknown): unknown => (typeof text === 'string' ? text.toUpperCase() : text);
export const NextWish = z.strictObject({
  status: z.preprocess(upper, z.enum([...STATUSES, 'STUCK']).exclude(['COMPLETED'])),
  sub_status: z.string().default(''),
});
export const TransactionWish = z.strictObject({
  status: z.preprocess(upper, z.enum(STATUSES)),
  sub_status: z.string().optional(),
  network_fee: z.string().optional(),
});
export const SettingsWish = z.strictObject({
  automatic_blocks: z.boolean().optional(),
  block_seconds: z.number().min(0.1).max(3_600).optional(),
  step_ms: z.int().min(0).max(3_600_000).optional(),
  gas_station: z.boolean().optional(),
});
const signing = {
  body: z.string().optional(),
  body_base64: z.base64().optional(),
  sign: z.enum(SIGNATURES).default('good'),
};
type Bytes = { readonly body?: string | undefined; readonly body_base64?: string | undefined };
const isGivenOnce = ({ body, body_base64: base64 }: Bytes): boolean =>
  (body === undefined) !== (base64 === undefined);
const once = { path: ['body'], message: 'give either body or body_base64' };

export const SignWish = z.strictObject(signing).refine(isGivenOnce, once);
export const RawWish = z
  .strictObject({ ...signing, headers: z.record(z.string(), z.string()).default({}) })
  .refine(isGivenOnce, once);

/** The bytes that are to be signed. */
export function bytesOf({ body, body_base64: base64 = '' }: Bytes): Buffer {
  return body === undefined ? Buffer.from(base64, 'base64') : Buffer.from(body);
}

/** The error for a value of the right type that is not acceptable. */
export function unusable(field: string, message: string): z.ZodError {
  return new z.ZodError([{ code: 'custom', path: [field], message, input: undefined }]);
}

/** The asset of a deposit, its outputs to vaults, and where it comes from. */
export function depositOf(world: World, wish: DepositWish): Deposit {
  const asset = ASSETS.get(wish.asset);
  if (asset === undefined) throw unusable('asset', `must be one of ${[...ASSETS.keys()].join(', ')}`);
  const amount = (text: string | undefined): bigint => {
    const units = unitsOf(text ?? '', asset.decimals);
    if (units === undefined || units === 0n)
      throw unusable('amount', `must be a decimal above zero with at most ${String(asset.decimals)} digits`);
    return units;
  };
  const at = (address: string, text: string | undefined): Output[] => {
    const [units, vault] = [amount(text), ownerOf(world, asset, address, wish.memo)];
    return vault === undefined ? [] : [{ vault, address, units }];
  };
  const outputs =
    wish.outputs?.flatMap((output) => at(output.address, output.amount)) ??
    (wish.address === undefined
      ? [{ vault: vaultOf(world, wish.vault_id), address: undefined, units: amount(wish.amount) }]
      : at(wish.address, wish.amount));
  if (outputs.length === 0)
    throw unusable(wish.outputs === undefined ? 'address' : 'outputs', 'is of no vault');
  const { memo, contract, source_address: source } = wish;
  if (source !== undefined && !FORMATS[asset.network].isValid(source))
    throw unusable('source_address', `must be an address of ${asset.network}`);
  return { asset, outputs, memo, contract, sourceAddress: source };
}

function vaultOf(world: World, id: string | undefined): Vault {
  const vault = world.vaults.get(id ?? '');
  if (vault === undefined) throw unusable('vault_id', 'must be the id of a vault, or give an address');
  return vault;
}
