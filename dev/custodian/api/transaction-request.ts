/** The body of `POST /transactions`, and how it becomes an order. */
import { z } from 'zod';
import { ASSETS, RULES, type Asset, type Network } from '../assets.ts';
import { unitsOf } from '../amounts.ts';
import { workOf } from '../chain/chains.ts';
import { waitingWithHash, type Order } from '../chain/sending.ts';
import type { Transaction } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { walletOf } from '../wallets.ts';
import { badRequest, CODES, notFound } from './refused.ts';
import { assetIn, vaultIn } from './route.ts';

/** Fireblocks accepts JSON numbers and strings. */
const Decimal = z.union([z.string(), z.number()]).transform(String);
const Level = z.enum(['LOW', 'MEDIUM', 'HIGH']);
const Vault = z.looseObject({ type: z.literal('VAULT_ACCOUNT'), id: z.string() });
const OneTime = z.looseObject({
  type: z.literal('ONE_TIME_ADDRESS'),
  oneTimeAddress: z.looseObject({ address: z.string().min(1), tag: z.string().default('') }),
});

export const TransactionRequest = z.looseObject({
  operation: z.literal('TRANSFER').default('TRANSFER'),
  assetId: z.string(),
  amount: Decimal,
  source: Vault,
  destination: z.discriminatedUnion('type', [Vault, OneTime]),
  externalTxId: z.string().min(1).max(255).optional(),
  customerRefId: z.string().optional(),
  note: z.string().default(''),
  treatAsGrossAmount: z.boolean().default(false),
  feeLevel: Level.default('MEDIUM'),
  /** Fee for one byte, in the smallest unit. */
  fee: Decimal.optional(),
  /** Gas price in gwei. */
  gasPrice: Decimal.optional(),
  /** Fee of the whole transaction, in the gas asset. */
  networkFee: Decimal.optional(),
  failOnLowFee: z.boolean().default(false),
  replaceTxByHash: z.string().optional(),
  extraParameters: z
    .looseObject({
      inputsSelection: z
        .looseObject({ inputsToSpend: z.array(z.looseObject({ txHash: z.string() })).optional() })
        .optional(),
    })
    .optional(),
});
export type TransactionRequest = z.output<typeof TransactionRequest>;

/** The body of a fee estimate; the asset alone decides what a transaction costs. */
export const FeeRequest = TransactionRequest.pick({ assetId: true }).loose();
/** The body of `POST /transactions/{id}/drop`: the fee of the transaction that takes its place. */
export const DropRequest = z.looseObject({ feeLevel: Level.default('HIGH'), gasPrice: Decimal.optional() });

export const GWEI_DECIMALS = 9;

type Offer = Pick<TransactionRequest, 'feeLevel' | 'fee' | 'gasPrice' | 'networkFee'>;

/** The price for one unit of work that a request offers. */
export function rateOf(world: World, asset: Asset, { feeLevel, fee, gasPrice, networkFee }: Offer): bigint {
  const { network } = asset;
  const units = (name: string, text: string, decimals: number): bigint => {
    const found = unitsOf(text, decimals);
    if (found === undefined) throw badRequest(`${name}: must be a decimal`);
    return found;
  };
  if (gasPrice !== undefined) return units('gasPrice', gasPrice, GWEI_DECIMALS);
  if (fee !== undefined) return units('fee', fee, 0);
  const decimals = ASSETS.get(RULES[network].gas)?.decimals ?? 0;
  if (networkFee !== undefined) return units('networkFee', networkFee, decimals) / workOf(network, asset.id);
  const level = feeLevel === 'LOW' ? 'low' : feeLevel === 'MEDIUM' ? 'medium' : 'high';
  return world.chains.offer(network, level);
}

/** Makes an order of a request; throws what Fireblocks refuses immediately. */
export function orderOf(world: World, request: TransactionRequest): Order {
  const asset = assetIn(request.assetId);
  const vault = vaultIn(world, request.source.id);
  if (walletOf(world, vault.id, asset.id) === undefined)
    throw notFound(`Vault account ${vault.id} has no wallet of ${asset.id}`, CODES.noAsset);
  const units = unitsOf(request.amount, asset.decimals);
  if (units === undefined)
    throw badRequest(
      `amount: must be a decimal with at most ${String(asset.decimals)} digits after the point`,
    );
  const rate = rateOf(world, asset, request);
  if (request.failOnLowFee && rate < world.chains.of(asset.network).rate)
    throw badRequest('The fee is lower than what the network asks for');
  const { destination } = request;
  const to =
    destination.type === 'VAULT_ACCOUNT'
      ? { vault: vaultIn(world, destination.id).id }
      : destination.oneTimeAddress;
  return {
    ...{ asset, vault: vault.id, to, units, rate, isGross: request.treatAsGrossAmount, note: request.note },
    ...{ externalTxId: request.externalTxId ?? null, customerRefId: request.customerRefId ?? null },
    replaces: replacedBy(world, asset.network, vault.id, request.replaceTxByHash, rate),
    paysFor: spentBy(world, asset.network, request),
  };
}

/** Nodes accept a replacement only if it pays at least ten percent more. */
export function requireBetter(replaced: Transaction, rate: bigint): void {
  if (rate * 10n < replaced.rate * 11n)
    throw badRequest('The fee must be at least a tenth higher than that of the transaction to replace');
}

function replacedBy(
  world: World,
  network: Network,
  vault: string,
  hash: string | undefined,
  rate: bigint,
): Transaction | null {
  if (hash === undefined) return null;
  const replaced = waitingWithHash(world, hash);
  if (RULES[network].kind !== 'evm') throw badRequest(`On ${network} no transaction can be replaced`);
  if (replaced?.network !== network || replaced.source.id !== vault)
    throw badRequest('replaceTxByHash: no transaction of this vault with this hash waits for a block');
  requireBetter(replaced, rate);
  return replaced;
}

/** The waiting transaction whose output the request spends (child pays for parent), if any. */
function spentBy(
  world: World,
  network: Network,
  { extraParameters }: TransactionRequest,
): Transaction | null {
  const inputs = extraParameters?.inputsSelection?.inputsToSpend ?? [];
  if (RULES[network].kind !== 'utxo') return null;
  return inputs.map(({ txHash }) => waitingWithHash(world, txHash)).find((one) => one !== undefined) ?? null;
}
