/** A custodian of a test, without its process: chains that stand still, and rows that are kept in memory. */
import { ASSETS, type Asset, type Network } from '../../../dev/custodian/assets.ts';
import { unitsOf } from '../../../dev/custodian/amounts.ts';
import { deposit } from '../../../dev/custodian/chain/arriving.ts';
import { send, type Order } from '../../../dev/custodian/chain/sending.ts';
import { createCustodian, type Custodian } from '../../../dev/custodian/custodian.ts';
import type { Journal, Table } from '../../../dev/custodian/state/journal.ts';
import type { Transaction, Vault } from '../../../dev/custodian/state/records.ts';
import { openWorld, type World } from '../../../dev/custodian/state/world.ts';
import { createVault, openWallet } from '../../../dev/custodian/wallets.ts';

/** Addresses of nobody here. */
export const STRANGERS: Readonly<Partial<Record<Network, string>>> = {
  bitcoin: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  ethereum: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
};

export interface TestCustodian extends Custodian {
  vault(name: string, ...assets: string[]): Vault;
  /** Arrives in the next block. */
  deposit(vault: Vault, asset: string, amount: string): Transaction;
  /** To a stranger, broadcast at once. */
  send(vault: Vault, asset: string, amount: string, more?: Partial<Order>): Transaction;
  blocks(network: Network, count: number): void;
  reorganise(network: Network, depth: number, vanish: boolean): void;
  now(transaction: Transaction): Transaction;
}

/** Nothing of it is written: the disk would be most of what such a test does. */
const inMemory: Journal = { table: () => rowsInMemory(), commit: () => undefined, close: () => undefined };

function rowsInMemory<Row>(): Table<Row> {
  const rows = new Map<string, Row>();
  return {
    get: (key) => rows.get(key),
    set: (key, row) => void rows.set(key, row),
    values: () => rows.values(),
    get size() {
      return rows.size;
    },
  };
}

/** A custodian of its own. */
export function openCustodian(): TestCustodian {
  const world: World = openWorld(inMemory);
  const custodian = createCustodian(world);
  const { lifecycle } = custodian;
  const done = <Result>(act: () => Result): Result => world.act(act).result;
  return {
    ...custodian,
    vault: (name, ...assets) =>
      done(() => {
        const wish = { name, hiddenOnUI: false, customerRefId: null, autoFuel: false };
        const vault = createVault(world, wish);
        for (const asset of assets) openWallet(world, vault, assetOf(asset));
        return vault;
      }),
    deposit(vault, id, amount) {
      const [asset, outputs] = [assetOf(id), [{ vault, address: undefined, units: units(id, amount) }]];
      const [arriving] = done(() =>
        deposit(world, lifecycle, {
          ...{ asset, memo: '', contract: undefined, sourceAddress: undefined, outputs },
        }),
      );
      if (arriving === undefined) throw new Error('nothing arrives');
      return arriving;
    },
    send: (vault, id, amount, more = {}) =>
      done(() => {
        const asset = assetOf(id);
        const order = {
          ...{ asset, vault: vault.id, units: units(id, amount), isGross: false, note: '' },
          to: { address: STRANGERS[asset.network] ?? '', tag: '' },
          rate: world.chains.offer(asset.network, 'medium'),
          ...{ externalTxId: null, customerRefId: null, replaces: null, paysFor: null, ...more },
        };
        return lifecycle.broadcast(send(world, lifecycle, order));
      }),
    blocks: (network, count) => done(() => custodian.mine(network, count)),
    reorganise: (network, depth, vanish) => done(() => custodian.reorganise(network, depth, vanish)),
    now(transaction) {
      const found = world.transactions.get(transaction.id);
      if (found === undefined) throw new Error(`there is no ${transaction.id}`);
      return found;
    },
  };
}

export function assetOf(id: string): Asset {
  const asset = ASSETS.get(id);
  if (asset === undefined) throw new Error(`there is no asset ${id}`);
  return asset;
}

/** The smallest units of a decimal. */
export function units(asset: string, amount: string): bigint {
  const found = unitsOf(amount, assetOf(asset).decimals);
  if (found === undefined) throw new Error(`${amount} is no amount of ${asset}`);
  return found;
}
