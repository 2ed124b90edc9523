/** The lifecycle of a transaction: every change of status, and the webhooks about it. */
import { ASSETS, RULES, type Asset } from '../assets.ts';
import { decimalOf } from '../amounts.ts';
import { balanceOf, hasEnded, isEnd, placeOf, type Balance } from '../state/balances.ts';
import type { Status, Transaction } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { confirmationsOf, transactionResponse } from '../views.ts';
import { walletOf } from '../wallets.ts';
import { hashOf } from './chains.ts';

/** The usual path. A transaction can be cancelled before BROADCASTING. */
const PATH: readonly Status[] = [
  'SUBMITTED',
  'PENDING_AUTHORIZATION',
  'QUEUED',
  'PENDING_SIGNATURE',
  'BROADCASTING',
  'CONFIRMING',
];
/** Statuses of signed transactions, which have a hash. */
const HAS_HASH: ReadonlySet<Status> = new Set(['BROADCASTING', 'CONFIRMING', 'COMPLETED']);
export const WAITS_FOR_BLOCKS = 'PENDING_BLOCKCHAIN_CONFIRMATIONS';
export const DROPPED = 'DROPPED_BY_BLOCKCHAIN';

export interface Lifecycle {
  /** Stores a new transaction and sends transaction.created. */
  begin(transaction: Transaction): void;
  /** Changes a transaction and sends transaction.status.updated. */
  update(transaction: Transaction, change: Partial<Transaction>): Transaction;
  /** Moves it to the next status of the path; undefined if it stays where it is. */
  advance(transaction: Transaction): Transaction | undefined;
  /** Moves it along the path as far as possible. */
  broadcast(transaction: Transaction): Transaction;
  /** Cancels it and answers true, unless it is already broadcast. */
  cancel(transaction: Transaction): boolean;
  /** Puts it into the newest block and fails the transactions that it competes with for a nonce. */
  mine(transaction: Transaction): Transaction;
  /** Counts another confirmation, and completes it if that was the last one needed. */
  confirm(transaction: Transaction): Transaction;
}

/** The lifecycle of the transactions of a world. */
export function createLifecycle(world: World): Lifecycle {
  const touch = tellMovedBalances(world);
  function keep(transaction: Transaction, event: 'created' | 'status.updated'): Transaction {
    world.transactions.set(transaction.id, transaction);
    touch(transaction);
    world.tell(`transaction.${event}`, transactionResponse(world, transaction), transaction.id);
    return transaction;
  }
  function update(transaction: Transaction, change: Partial<Transaction>): Transaction {
    const changed = { ...transaction, ...change, lastUpdated: world.now() };
    const { network, id } = changed;
    const isNamed = changed.txHash !== '' || !HAS_HASH.has(changed.status);
    return keep(
      isNamed ? changed : { ...changed, txHash: hashOf(network, `transaction ${id}`) },
      'status.updated',
    );
  }

  function advance(transaction: Transaction): Transaction | undefined {
    const step = stepOf(transaction);
    return step === undefined ? undefined : update(transaction, step);
  }

  return {
    update,
    advance,
    begin: (transaction) => void keep(transaction, 'created'),
    broadcast(transaction) {
      let now = transaction;
      for (let next = advance(now); next !== undefined; next = advance(now)) now = next;
      return now;
    },
    cancel(transaction) {
      if (PATH.indexOf(transaction.status) >= PATH.indexOf('BROADCASTING') || hasEnded(transaction))
        return false;
      const cancelling = update(transaction, { status: 'CANCELLING' });
      update(cancelling, { status: 'CANCELLED', subStatus: 'CANCELLED_BY_USER_REQUEST', fate: null });
      return true;
    },
    mine(transaction) {
      const rivals = [...world.transactions.values()].filter(
        (other) => other.id !== transaction.id && placeOf(other) === placeOf(transaction) && !hasEnded(other),
      );
      for (const rival of rivals) update(rival, { status: 'FAILED', subStatus: DROPPED, height: null });
      const { height } = world.chains.of(transaction.network);
      const mined = { ...transaction, height, status: 'CONFIRMING', subStatus: WAITS_FOR_BLOCKS } as const;
      world.transactions.set(mined.id, mined);
      return mined;
    },
    confirm(transaction) {
      const { network } = transaction;
      const confirmations = confirmationsOf(world, transaction);
      const isDone = confirmations >= RULES[network].confirmations;
      return update(transaction, isDone ? { status: 'COMPLETED', subStatus: 'CONFIRMED' } : {});
    },
  };
}

/** The next change of a transaction that is not on the chain yet. */
function stepOf({ status, fate }: Transaction): Partial<Transaction> | undefined {
  const next = PATH[PATH.indexOf(status) + 1];
  if (next === undefined || !PATH.includes(status) || fate?.status === status) return undefined;
  // a final fate is decided at authorisation; a fate outside the path is reached at once
  if (fate !== null && status === 'PENDING_AUTHORIZATION' && isEnd(fate.status))
    return { ...fate, fate: null };
  if (fate !== null && !isEnd(fate.status) && !PATH.includes(fate.status)) return fate;
  return { status: next, subStatus: next === 'CONFIRMING' ? WAITS_FOR_BLOCKS : '' };
}

/** Sends balance_updated at the end of a change, once for each balance that the marked transactions have altered. */
function tellMovedBalances(world: World): (transaction: Transaction) => void {
  const moved = new Map<string, readonly [vault: string, asset: string]>();
  const toldLast = new Map<string, string>();
  world.atTheEnd(() => {
    for (const [key, [vault, id]] of moved) {
      const asset = ASSETS.get(id);
      if (asset === undefined || walletOf(world, vault, id) === undefined) continue;
      const balance = balanceOf(world, vault, id);
      const text = Object.values(balance).join(' ');
      if (toldLast.get(key) !== text) tellBalance(world, vault, asset, balance);
      toldLast.set(key, text);
    }
    moved.clear();
  });
  return ({ source, destination, asset, network }) => {
    for (const { type, id } of [source, destination])
      if (type === 'VAULT_ACCOUNT')
        for (const one of [asset, RULES[network].gas]) moved.set(`${id}/${one}`, [id, one]);
  };
}

/** VaultAccountBalanceUpdate. Fireblocks does not include `available`. */
function tellBalance(world: World, vault: string, asset: Asset, balance: Balance): void {
  const { height } = world.chains.of(asset.network);
  const amount = (units: bigint): string => decimalOf(units, asset.decimals);
  world.tell(
    'vault_account.asset.balance_updated',
    {
      blockHash: world.chains.blockHash(asset.network, height),
      blockHeight: String(height),
      ...{ assetId: asset.id, vaultAccountId: vault },
      ...{ total: amount(balance.total), pending: amount(balance.pending), staked: '0' },
      ...{ frozen: amount(balance.frozen), lockedAmount: amount(balance.locked) },
    },
    vault,
  );
}
