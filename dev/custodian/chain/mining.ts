/** Mining and reorganisations: which transactions a block contains, confirms or loses. */
import { ASSETS, RULES, type Network } from '../assets.ts';
import { hasEnded, isCovered, isOut, minedOf, wantedOf } from '../state/balances.ts';
import type { Transaction } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { workOf } from './chains.ts';
import { DROPPED, WAITS_FOR_BLOCKS, type Lifecycle } from './lifecycle.ts';

/** Banks may ask for more blocks than the custodian does, on Polygon for 128. */
const DEEPEST = 128;

export interface Mining {
  /** Adds a block with every waiting transaction that pays enough. */
  mine(network: Network): void;
  /** Whether somebody may wait for a block. */
  hasWork(network: Network): boolean;
  /** Replaces the newest blocks; their transactions return to the mempool, or fail if they vanish. */
  reorganise(network: Network, depth: number, vanish: boolean, salt: string): void;
}

/** The miners of all chains; `completed` is called for each transaction that a block completes. */
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
        // a competing transaction may have been mined a moment ago
        const now = world.transactions.get(id);
        if (now !== undefined && waits(now) && (!isOut(now) || isCovered(world, now))) lifecycle.mine(now);
      }
      for (const transaction of transactionsOn(world, network)) {
        if (transaction.status !== 'CONFIRMING' || transaction.height === null) continue;
        const after = lifecycle.confirm(transaction);
        if (after.status === 'COMPLETED') completed(after);
      }
    },
    hasWork(network) {
      const { height } = world.chains.of(network);
      return transactionsOn(world, network).some(
        (one) =>
          one.status === 'BROADCASTING' ||
          one.status === 'CONFIRMING' ||
          (one.height !== null && height - one.height < DEEPEST),
      );
    },
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

/** Deposits first, so that a transaction that spends one can be in the same block; then by price. */
function byOffer(a: Transaction, b: Transaction): number {
  return Number(isOut(a)) - Number(isOut(b)) || Number(b.rate - a.rate) || a.createdAt - b.createdAt;
}

/** Whether it pays the market price. Deposits always do: their fee is not ours to simulate. */
function isWorthIt(transaction: Transaction, waiting: readonly Transaction[], rate: bigint): boolean {
  if (!isOut(transaction)) return true;
  const parent = waiting.find(({ id }) => id === transaction.paysFor);
  const children = waiting.filter(({ paysFor }) => paysFor === transaction.id);
  if (parent !== undefined) return packageRate(parent, transaction) >= rate;
  return transaction.rate >= rate || children.some((child) => packageRate(transaction, child) >= rate);
}

/** The price for one unit of work that parent and child pay together. */
function packageRate(parent: Transaction, child: Transaction): bigint {
  const work = workOf(parent.network, parent.asset) + workOf(child.network, child.asset);
  return (parent.fee + child.fee) / work;
}

/** Fails transactions that spend vanished deposits, newest first: they could never be mined. */
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
