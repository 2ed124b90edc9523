/** Outgoing transactions: their fee, whether the vault can pay, and replacements. */
import { randomUUID } from 'node:crypto';
import { ASSETS, RULES, type Asset } from '../assets.ts';
import { most } from '../amounts.ts';
import { balanceOf, hasEnded, isOut, placeOf } from '../state/balances.ts';
import type { Peer, Transaction } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { openWallet, ownerOf, walletOf } from '../wallets.ts';
import { FORMATS } from './address-formats.ts';
import { workOf } from './chains.ts';
import type { Lifecycle } from './lifecycle.ts';

export interface Order {
  readonly asset: Asset;
  readonly vault: string;
  readonly to: { readonly vault: string } | { readonly address: string; readonly tag: string };
  readonly units: bigint;
  /** true: the fee is deducted from the amount. */
  readonly isGross: boolean;
  /** Price that it offers for one unit of work. */
  readonly rate: bigint;
  readonly externalTxId: string | null;
  readonly customerRefId: string | null;
  readonly note: string;
  /** The waiting transaction that it replaces. */
  readonly replaces: Transaction | null;
  /** The waiting transaction whose output it spends. */
  readonly paysFor: Transaction | null;
}

/** Reasons for which an accepted transaction fails. */
type Hindrance = 'INSUFFICIENT_FUNDS' | 'INSUFFICIENT_FUNDS_FOR_FEE' | 'INVALID_ADDRESS' | 'AMOUNT_TOO_SMALL';

/** Accepts an order. As at Fireblocks, an order that cannot be carried out is accepted and fails a moment later. */
export function send(world: World, lifecycle: Lifecycle, order: Order): Transaction {
  const { asset, units, isGross } = order;
  const { network } = asset;
  const next = world.takeFate();
  // half the market price: no miner takes it
  const market = world.chains.of(network).rate;
  const rate = next?.status === 'STUCK' ? most(1n, market / 2n) : most(1n, order.rate);
  const fee = rate * workOf(network, asset.id);
  const isOwnFee = RULES[network].gas === asset.id;
  const amount = isGross && isOwnFee ? most(0n, units - fee) : units;
  const destination = destinationOf(world, order);
  const source = sourceOf(world, order.vault, asset);
  const at = world.now();
  const transaction: Transaction = {
    id: randomUUID(),
    ...{ externalTxId: order.externalTxId, customerRefId: order.customerRefId, note: order.note },
    ...{ network, asset: asset.id, decimals: asset.decimals },
    ...{ source: source.peer, sourceAddress: source.address },
    ...{ destination: destination.peer, destinationAddress: destination.address },
    destinationTag: destination.tag,
    ...{ status: 'SUBMITTED', subStatus: '' },
    ...{ requested: units, amount, fee, rate },
    replaces: order.replaces === null ? null : placeOf(order.replaces),
    paysFor: order.paysFor?.id ?? null,
    ...{ txHash: '', index: 0, height: null, createdAt: at, lastUpdated: at },
    fate: null,
  };
  const hindrance = hindranceOf(world, transaction, order.replaces);
  const failing = hindrance === undefined ? null : { status: 'FAILED' as const, subStatus: hindrance };
  const fate = next === null || next.status === 'STUCK' ? failing : next;
  const begun = { ...transaction, fate };
  lifecycle.begin(begun);
  return begun;
}

interface End {
  readonly peer: Peer;
  readonly address: string;
}

function sourceOf(world: World, vault: string, asset: Asset): End {
  const peer = { type: 'VAULT_ACCOUNT' as const, id: vault, name: world.vaults.get(vault)?.name ?? '' };
  return { peer, address: walletOf(world, vault, asset.id)?.address ?? '' };
}

/** The destination of an order. An address of this workspace becomes the vault that owns it. */
function destinationOf(world: World, { to, asset }: Order): End & { readonly tag: string } {
  const owner = 'vault' in to ? world.vaults.get(to.vault) : ownerOf(world, asset, to.address, to.tag);
  const tag = 'vault' in to ? '' : to.tag;
  if (owner === undefined) {
    const address = 'vault' in to ? '' : to.address;
    return { peer: { type: 'ONE_TIME_ADDRESS', id: '', name: 'N/A' }, address, tag };
  }
  const wallet = openWallet(world, owner, asset);
  const address = 'vault' in to ? wallet.address : to.address;
  return { peer: { type: 'VAULT_ACCOUNT', id: owner.id, name: owner.name }, address, tag };
}

function hindranceOf(
  world: World,
  transaction: Transaction,
  replaced: Transaction | null,
): Hindrance | undefined {
  const { network, asset, source, amount, fee, destinationAddress, requested } = transaction;
  if (!FORMATS[network].isValid(destinationAddress)) return 'INVALID_ADDRESS';
  if (amount <= 0n && requested > 0n) return 'AMOUNT_TOO_SMALL';
  const { gas } = RULES[network];
  // the replaced transaction releases the money that it has locked
  const back = (id: string): bigint =>
    replaced === null || hasEnded(replaced)
      ? 0n
      : (replaced.asset === id ? replaced.amount : 0n) + (gas === id ? replaced.fee : 0n);
  const has = (id: string): bigint => balanceOf(world, source.id, id).available + back(id);
  if (asset === gas) return has(gas) < amount + fee ? 'INSUFFICIENT_FUNDS' : undefined;
  if (has(asset) < amount) return 'INSUFFICIENT_FUNDS';
  return has(gas) < fee ? 'INSUFFICIENT_FUNDS_FOR_FEE' : undefined;
}

/** The outgoing transaction with this hash that waits for a block. */
export function waitingWithHash(world: World, hash: string): Transaction | undefined {
  return [...world.transactions.values()].find(
    (one) => one.txHash === hash && hash !== '' && isOut(one) && one.height === null && !hasEnded(one),
  );
}

/** Replaces a waiting transaction by one of amount zero to the vault itself. */
export function drop(world: World, lifecycle: Lifecycle, dropped: Transaction, rate: bigint): Transaction {
  const gas = ASSETS.get(RULES[dropped.network].gas);
  if (gas === undefined) throw new Error(`${dropped.network} has no gas asset`);
  return send(world, lifecycle, {
    ...{ asset: gas, vault: dropped.source.id, to: { vault: dropped.source.id }, units: 0n },
    ...{ isGross: false, rate, externalTxId: null, customerRefId: null, note: '', paysFor: null },
    replaces: dropped,
  });
}
