/** The custodian as a whole: its data, the lifecycle of transactions, the miners, and the timer that drives them. */
import { randomUUID } from 'node:crypto';
import { NETWORKS, type Network } from './assets.ts';
import { fuel } from './chain/arriving.ts';
import { createLifecycle, type Lifecycle } from './chain/lifecycle.ts';
import { createMining, type Mining } from './chain/mining.ts';
import { hasEnded, isOut } from './state/balances.ts';
import type { Transaction } from './state/records.ts';
import type { World } from './state/world.ts';

export interface Custodian {
  readonly world: World;
  readonly lifecycle: Lifecycle;
  /** Broadcasts every open transaction of the network, then mines that many blocks. */
  mine(network: Network, count: number): void;
  reorganise(network: Network, depth: number, vanish: boolean): void;
  /** Advances transactions and mines blocks on a timer until it is stopped. */
  run(): { stop(): void };
}

const TICK_MS = 50;

export function createCustodian(world: World): Custodian {
  const lifecycle = createLifecycle(world);
  const mining: Mining = createMining(world, lifecycle, (arrived) => fuel(world, lifecycle, arrived));
  const underWay = (): Transaction[] =>
    [...world.transactions.values()].filter((one) => isOut(one) && !hasEnded(one) && one.height === null);

  function step(): void {
    const before = Date.now() - world.settings().stepMs;
    const due = underWay().filter((one) => one.status !== 'CONFIRMING' && one.lastUpdated <= before);
    if (due.length > 0) world.act(() => due.forEach((one) => lifecycle.advance(one)));
  }

  let minedAt = Date.now();
  function mineByItself(): void {
    const { automaticBlocks, blockSeconds } = world.settings();
    if (!automaticBlocks || Date.now() < minedAt + blockSeconds * 1_000) return;
    minedAt = Date.now();
    // idle chains do not grow: their empty blocks would only fill the journal
    const busy = NETWORKS.filter(mining.hasWork);
    if (busy.length > 0) world.act(() => busy.forEach(mining.mine));
  }

  return {
    world,
    lifecycle,
    mine(network, count) {
      for (const one of underWay()) if (one.network === network) lifecycle.broadcast(one);
      for (let block = 0; block < count; block += 1) mining.mine(network);
    },
    reorganise: (network, depth, vanish) => mining.reorganise(network, depth, vanish, randomUUID()),
    run() {
      const timer = setInterval(() => {
        step();
        mineByItself();
      }, TICK_MS);
      return { stop: () => clearInterval(timer) };
    },
  };
}
