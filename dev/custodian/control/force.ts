/** Sets any status of any transaction, for tests of what the networks rarely do. */
import { hasEnded, isEnd, isOut } from '../state/balances.ts';
import type { Custodian } from '../custodian.ts';
import type { Status, Transaction } from '../state/records.ts';

export interface Forced {
  readonly status: Status;
  readonly subStatus: string | undefined;
  /** In the smallest unit of the gas asset. */
  readonly fee: bigint | undefined;
}

/** Sets the status. COMPLETED and CONFIRMING put it into the newest block; FAILED with a fee charges the fee. */
export function force(
  { world, lifecycle }: Custodian,
  transaction: Transaction,
  { status, subStatus, fee }: Forced,
): Transaction {
  const isOnChain = status === 'COMPLETED' || status === 'CONFIRMING';
  const path = { ...transaction, fate: null, ...(fee === undefined ? {} : { fee }) };
  if (isOnChain && transaction.height === null) {
    const known = hasEnded(path) || !isOut(path) ? path : lifecycle.broadcast(path);
    const mined = lifecycle.mine(known);
    return lifecycle.update(mined, { status, subStatus: subStatus ?? SUB_STATUS[status] ?? '' });
  }
  const isPaid = isOut(path)
    ? fee !== undefined && status === 'FAILED'
    : status !== 'FAILED' && isEnd(status);
  const height = isOnChain
    ? path.height
    : isPaid
      ? (path.height ?? world.chains.of(path.network).height)
      : null;
  return lifecycle.update(path, { status, subStatus: subStatus ?? SUB_STATUS[status] ?? '', height });
}

const SUB_STATUS: Partial<Record<Status, string>> = {
  COMPLETED: 'CONFIRMED',
  CONFIRMING: 'PENDING_BLOCKCHAIN_CONFIRMATIONS',
};
