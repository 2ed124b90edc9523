/** Blocks: what they take in, what they confirm, and what becomes of it when they are replaced. */
import { ASSETS, RULES, type Network } from '../assets.ts';
import { hasEnded, isCovered, isOut, minedOf, wantedOf } from '../state/balances.ts';
import type { Transaction } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { workOf } from './chains.ts';
import { DROPPED, WAITS_FOR_BLOCKS, type Lifecycle } from './lifecycle.ts';

export interface Mining {
  /** Adds a block with all that may be in it. `arrived` is told of each deposit that is COMPLETED by it. */
  mine(network: Network): void;
  /** Whether a block would change anything. */
  hasWork(network: Network): boolean;
  /** Replaces the newest blocks by others: what was in them waits again, or has never been. */
  reorganise(network: Network, depth: number, vanish: boolean, salt: string): void;
}

export function createMining(
  world: World,
  lifecycle: Lifecycle,
  arrived: (transaction: Transaction) => void,
): Mining {
  const on = (network: Network): Transaction[] =>
    [...world.transactions.values()].filter((transaction) => transaction.network === network);
  const waits = ({ status, height }: Transaction): boolean => status === 'CONFIRMING' && height === null;

  /** What it pays for a unit of work together with the one whose output it spends. */
  function packageRate(parent: Transaction, child: Transaction): bigint {
    const work = workOf(parent.network, parent.asset) + workOf(child.network, child.asset);
    return (parent.fee + child.fee) / work;
  }

  /** Whether a miner takes it: deposits always, since their price is somebody else's. */
  function isWorthIt(transaction: Transaction, waiting: readonly Transaction[]): boolean {
    if (!isOut(transaction)) return true;
    const { rate } = world.chains.of(transaction.network);
    const parent = waiting.find(({ id }) => id === transaction.paysFor);
    const child = waiting.find(({ paysFor }) => paysFor === transaction.id);
    if (parent !== undefined) return packageRate(parent, transaction) >= rate;
    return transaction.rate >= rate || (child !== undefined && packageRate(transaction, child) >= rate);
  }

  function mine(network: Network): void {
    world.chains.grow(network);
    const waiting = on(network).filter(waits);
    const best = waiting
      .filter((transaction) => isWorthIt(transaction, waiting))
      .toSorted(
        (a, b) => Number(isOut(a)) - Number(isOut(b)) || Number(b.rate - a.rate) || a.createdAt - b.createdAt,
      );
    for (const { id } of best) {
      // one that was mined before it may have taken its place
      const now = world.transactions.get(id);
      if (now === undefined || !waits(now)) continue;
      if (!isOut(now) || isCovered(world, now)) lifecycle.mine(now);
    }
    for (const transaction of on(network)) {
      if (transaction.status !== 'CONFIRMING' || transaction.height === null) continue;
      const after = lifecycle.confirm(transaction);
      if (after.status === 'COMPLETED') arrived(after);
    }
  }

  /** A transaction that spends what has vanished can never be mined. */
  function dropUncovered(network: Network): void {
    const live = on(network)
      .filter((transaction) => isOut(transaction) && transaction.height === null && !hasEnded(transaction))
      .toSorted((a, b) => b.createdAt - a.createdAt);
    for (const transaction of live) {
      const vault = transaction.source.id;
      const assets = [transaction.asset, RULES[network].gas].filter((id) => ASSETS.has(id));
      const isShort = assets.some((id) => wantedOf(world, vault, id) > minedOf(world, vault, id));
      if (isShort) lifecycle.update(transaction, { status: 'FAILED', subStatus: DROPPED, fate: null });
    }
  }

  return {
    mine,
    hasWork: (network) =>
      on(network).some(({ status }) => status === 'BROADCASTING' || status === 'CONFIRMING'),
    reorganise(network, depth, vanish, salt) {
      const lost = world.chains.of(network).height - depth;
      world.chains.fork(network, depth, salt);
      for (const transaction of on(network)) {
        if (transaction.height === null || transaction.height <= lost) continue;
        if (vanish) lifecycle.update(transaction, { status: 'FAILED', subStatus: DROPPED, height: null });
        else if (transaction.status === 'CONFIRMING' || transaction.status === 'COMPLETED')
          lifecycle.update(transaction, { status: 'CONFIRMING', subStatus: WAITS_FOR_BLOCKS, height: null });
      }
      if (vanish) dropUncovered(network);
    },
  };
}
