/** Blocks: what they take in, what they confirm, and what becomes of it when they are replaced. */
import { ASSETS, RULES, type Network } from '../assets.ts';
import { hasEnded, isCovered, isOut, minedOf, wantedOf } from '../state/balances.ts';
import type { Transaction } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { workOf } from './chains.ts';
import { DROPPED, WAITS_FOR_BLOCKS, type Lifecycle } from './lifecycle.ts';

export interface Mining {
  /** Adds a block with all that may be in it. */
  mine(network: Network): void;
  /** Whether a block would change anything. */
  hasWork(network: Network): boolean;
  /** Replaces the newest blocks by others: what was in them waits again, or has never been. */
  reorganise(network: Network, depth: number, vanish: boolean, salt: string): void;
}

/** The miners of all chains; `completed` is told of each transaction that a block completes. */
export function createMining(
  world: World,
  lifecycle: Lifecycle,
  completed: (transaction: Transaction) => void,
): Mining {
  return {
    mine(network) {
      world.chains.grow(network);
      const waiting = transactionsOn(world, network).filter(waits);
      const { rate } = world.chains.of(network);
      const best = waiting.filter((one) => isWorthIt(one, waiting, rate)).toSorted(byOffer);
      for (const { id } of best) {
        // one that was mined before it may have taken its place
        const now = world.transactions.get(id);
        if (now !== undefined && waits(now) && (!isOut(now) || isCovered(world, now))) lifecycle.mine(now);
      }
      for (const transaction of transactionsOn(world, network)) {
        if (transaction.status !== 'CONFIRMING' || transaction.height === null) continue;
        const after = lifecycle.confirm(transaction);
        if (after.status === 'COMPLETED') completed(after);
      }
    },
    hasWork: (network) =>
      transactionsOn(world, network).some(
        ({ status }) => status === 'BROADCASTING' || status === 'CONFIRMING',
      ),
    reorganise(network, depth, vanish, salt) {
      const lost = world.chains.of(network).height - depth;
      world.chains.fork(network, depth, salt);
      for (const transaction of transactionsOn(world, network)) {
        if (transaction.height === null || transaction.height <= lost) continue;
        if (vanish) lifecycle.update(transaction, { status: 'FAILED', subStatus: DROPPED, height: null });
        else if (transaction.status === 'CONFIRMING' || transaction.status === 'COMPLETED')
          lifecycle.update(transaction, { status: 'CONFIRMING', subStatus: WAITS_FOR_BLOCKS, height: null });
      }
      if (vanish) dropUncovered(world, lifecycle, network);
    },
  };
}

const transactionsOn = (world: World, network: Network): Transaction[] =>
  [...world.transactions.values()].filter((transaction) => transaction.network === network);

const waits = ({ status, height }: Transaction): boolean => status === 'CONFIRMING' && height === null;

/** Deposits first, so that what spends one can be in the same block; then whoever offers more. */
function byOffer(a: Transaction, b: Transaction): number {
  return Number(isOut(a)) - Number(isOut(b)) || Number(b.rate - a.rate) || a.createdAt - b.createdAt;
}

/** Whether a miner takes it at that price: deposits always, since what they offer is somebody else's matter. */
function isWorthIt(transaction: Transaction, waiting: readonly Transaction[], rate: bigint): boolean {
  if (!isOut(transaction)) return true;
  const parent = waiting.find(({ id }) => id === transaction.paysFor);
  const children = waiting.filter(({ paysFor }) => paysFor === transaction.id);
  if (parent !== undefined) return packageRate(parent, transaction) >= rate;
  return transaction.rate >= rate || children.some((child) => packageRate(transaction, child) >= rate);
}

/** What a child that spends the output of a parent pays for a unit of the work of both. */
function packageRate(parent: Transaction, child: Transaction): bigint {
  const work = workOf(parent.network, parent.asset) + workOf(child.network, child.asset);
  return (parent.fee + child.fee) / work;
}

/** A transaction that spends what has vanished can never be mined. */
function dropUncovered(world: World, lifecycle: Lifecycle, network: Network): void {
  const live = transactionsOn(world, network)
    .filter((one) => isOut(one) && one.height === null && !hasEnded(one))
    .toSorted((a, b) => b.createdAt - a.createdAt);
  for (const transaction of live) {
    const vault = transaction.source.id;
    const assets = [transaction.asset, RULES[network].gas].filter((id) => ASSETS.has(id));
    const isShort = assets.some((id) => wantedOf(world, vault, id) > minedOf(world, vault, id));
    if (isShort) lifecycle.update(transaction, { status: 'FAILED', subStatus: DROPPED, fate: null });
  }
}
