/** Incoming transactions: deposits made by the control API, and gas from the gas station. */
import { createHash, randomUUID } from 'node:crypto';
import { ASSETS, RULES, unlisted, type Asset } from '../assets.ts';
import { balanceOf } from '../state/balances.ts';
import type { Peer, Transaction, Vault } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { openWallet, walletOf } from '../wallets.ts';
import { FORMATS } from './address-formats.ts';
import { hashOf, workOf } from './chains.ts';
import { WAITS_FOR_BLOCKS, type Lifecycle } from './lifecycle.ts';

export interface Output {
  readonly vault: Vault;
  /** Address that receives it; undefined for the first address of the wallet. */
  readonly address: string | undefined;
  readonly units: bigint;
}

export interface Deposit {
  readonly asset: Asset;
  readonly memo: string;
  /** Outputs of one transaction on the chain. */
  readonly outputs: readonly Output[];
  /** The contract of a token that Fireblocks does not list. */
  readonly contract: string | undefined;
  /** From where; undefined for an address that nobody has used. */
  readonly sourceAddress: string | undefined;
}

const STRANGER: Peer = { type: 'UNKNOWN', id: '', name: 'External' };
const GAS_STATION: Peer = { type: 'GAS_STATION', id: '', name: 'Gas Station' };
/** The gas station pays for this many token transfers. */
const FUEL_TRANSFERS = 10n;

/** Makes a deposit that the next block contains. As at Fireblocks, each output is a transaction of its own. */
export function deposit(
  world: World,
  lifecycle: Lifecycle,
  { asset, contract, sourceAddress, ...wish }: Deposit,
): Transaction[] {
  const suffix = createHash('sha256')
    .update(contract ?? '')
    .digest('hex')
    .slice(0, 4)
    .toUpperCase();
  const arriving = contract === undefined ? asset : unlisted(asset, contract, suffix);
  const txHash = hashOf(asset.network, `deposit ${randomUUID()}`);
  return wish.outputs.map((output, index) => {
    // Fireblocks opens the wallet when a listed token arrives
    const wallet =
      contract === undefined
        ? openWallet(world, output.vault, asset)
        : walletOf(world, output.vault.id, asset.id);
    const address = output.address ?? wallet?.address ?? '';
    const place = { txHash, index, address, tag: wish.memo };
    const from = { source: STRANGER, sourceAddress };
    return arrive(world, lifecycle, { asset: arriving, ...from, ...output, ...place });
  });
}

interface Arrival {
  readonly asset: Asset;
  readonly source: Peer;
  readonly sourceAddress: string | undefined;
  readonly vault: Vault;
  readonly address: string;
  readonly tag: string;
  readonly units: bigint;
  readonly txHash: string;
  readonly index: number;
}

function arrive(world: World, lifecycle: Lifecycle, arrival: Arrival): Transaction {
  const { asset, vault, txHash, units } = arrival;
  const { network } = asset;
  const at = world.now();
  const { rate } = world.chains.of(network);
  const stranger = createHash('sha256').update(txHash).digest();
  const transaction: Transaction = {
    id: randomUUID(),
    ...{ externalTxId: null, customerRefId: null, note: '' },
    ...{ network, asset: asset.id, decimals: asset.decimals },
    source: arrival.source,
    sourceAddress: arrival.sourceAddress ?? FORMATS[network].encode(stranger),
    destination: { type: 'VAULT_ACCOUNT', id: vault.id, name: vault.name },
    ...{ destinationAddress: arrival.address, destinationTag: arrival.tag },
    ...{ status: 'CONFIRMING', subStatus: WAITS_FOR_BLOCKS, fate: null },
    ...{ requested: units, amount: units, fee: rate * workOf(network, asset.id), rate },
    ...{ replaces: null, paysFor: null, txHash, index: arrival.index, height: null },
    ...{ createdAt: at, lastUpdated: at },
  };
  lifecycle.begin(transaction);
  return transaction;
}

/** Sends gas to a vault that has received a token and has too little gas for a transfer. */
export function fuel(world: World, lifecycle: Lifecycle, arrived: Transaction): void {
  const gas = ASSETS.get(RULES[arrived.network].gas);
  const vault = world.vaults.get(arrived.destination.id);
  const isToken = ASSETS.has(arrived.asset) && arrived.asset !== gas?.id;
  if (!world.settings().gasStation || !isToken || gas === undefined || vault === undefined) return;
  const cost = world.chains.offer(gas.network, 'high') * workOf(gas.network, arrived.asset);
  const { available, pending } = balanceOf(world, vault.id, gas.id);
  if (available + pending >= cost) return;
  const { address } = openWallet(world, vault, gas);
  const txHash = hashOf(gas.network, `fuel ${randomUUID()}`);
  const units = cost * FUEL_TRANSFERS;
  arrive(world, lifecycle, {
    ...{ asset: gas, source: GAS_STATION, sourceAddress: undefined, vault, address, tag: '' },
    ...{ units, txHash, index: 0 },
  });
}
