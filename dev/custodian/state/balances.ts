/**
 * Balances are never stored. They are added up from the transactions each time, so a reorganisation or a correction cannot leave a wrong
 * one behind.
 */
import { RULES } from '../assets.ts';
import { least, most } from '../amounts.ts';
import type { Status, Transaction } from './records.ts';
import type { World } from './world.ts';

/** Amounts in the smallest unit. The total is the sum of the other four. */
export interface Balance {
  readonly total: bigint;
  readonly available: bigint;
  readonly pending: bigint;
  readonly frozen: bigint;
  readonly locked: bigint;
}

const ENDED: ReadonlySet<Status> = new Set(['COMPLETED', 'CANCELLED', 'REJECTED', 'BLOCKED', 'FAILED']);
export const isEnd = (status: Status): boolean => ENDED.has(status);
export const hasEnded = ({ status }: Transaction): boolean => isEnd(status);
export const isOut = ({ source }: Transaction): boolean => source.type === 'VAULT_ACCOUNT';
const isMined = ({ height }: Transaction): boolean => height !== null;
const isFrom = (vault: string, { source }: Transaction): boolean =>
  source.type === 'VAULT_ACCOUNT' && source.id === vault;
const isTo = (vault: string, { destination }: Transaction): boolean =>
  destination.type === 'VAULT_ACCOUNT' && destination.id === vault;

/** What a transaction takes from its vault in that asset: amount, fee or both. A failed transaction takes only its fee. */
function cost(transaction: Transaction, asset: string): bigint {
  const sent = transaction.asset === asset && transaction.status !== 'FAILED' ? transaction.amount : 0n;
  return sent + (RULES[transaction.network].gas === asset ? transaction.fee : 0n);
}

/** Transactions with the same nonce have the same place; only one of them is mined. */
export const placeOf = ({ replaces, id }: Transaction): string => replaces ?? id;

/** Whether its money is locked. A transaction that is bound to fail locks nothing. */
const holds = (transaction: Transaction): boolean =>
  !hasEnded(transaction) &&
  !isMined(transaction) &&
  (transaction.fate === null || !isEnd(transaction.fate.status));

/** What open transactions lock in a vault. */
export function wantedOf(world: World, vault: string, asset: string): bigint {
  const places = new Map<string, bigint>();
  for (const transaction of world.transactions.values()) {
    if (!isFrom(vault, transaction) || !holds(transaction)) continue;
    const place = placeOf(transaction);
    places.set(place, most(places.get(place) ?? 0n, cost(transaction, asset)));
  }
  return [...places.values()].reduce((sum, one) => sum + one, 0n);
}

/** The balance of a vault in an asset. */
export function balanceOf(world: World, vault: string, asset: string): Balance {
  let [arrived, gone, coming, frozen] = [0n, 0n, 0n, 0n];
  for (const transaction of world.transactions.values()) {
    if (transaction.asset === asset && isTo(vault, transaction)) {
      const { status, amount } = transaction;
      if (status === 'COMPLETED') arrived += amount;
      else if (status === 'CONFIRMING' && (isMined(transaction) || !isOut(transaction))) coming += amount;
      else if ((status === 'BLOCKED' || status === 'REJECTED') && isMined(transaction)) frozen += amount;
    }
    if (isFrom(vault, transaction) && isMined(transaction)) gone += cost(transaction, asset);
  }
  const wanted = wantedOf(world, vault, asset);
  const total = arrived - gone + coming + frozen;
  const available = most(0n, arrived - gone - wanted);
  const locked = most(0n, least(wanted, total - frozen));
  // after a reorganisation a transaction may spend a deposit that is pending again
  return { total, available, locked, frozen, pending: total - frozen - locked - available };
}

/** What a vault owns in mined blocks, confirmed or not: a block cannot spend more. */
export function minedOf(world: World, vault: string, asset: string): bigint {
  let sum = 0n;
  for (const transaction of world.transactions.values()) {
    if (!isMined(transaction)) continue;
    const isIn = transaction.asset === asset && isTo(vault, transaction) && transaction.status !== 'FAILED';
    if (isIn) sum += transaction.amount;
    if (isFrom(vault, transaction)) sum -= cost(transaction, asset);
  }
  return sum;
}

/** Whether the vault of an outgoing transaction owns amount and fee. */
export function isCovered(world: World, transaction: Transaction): boolean {
  const { source, asset, network } = transaction;
  const { gas } = RULES[network];
  return [...new Set([asset, gas])].every((one) => minedOf(world, source.id, one) >= cost(transaction, one));
}
