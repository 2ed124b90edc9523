/** Moving money for the processes `transfer` and `adjustment`: one database transaction each, safe to repeat. */
import { record } from '../db/queries/platform/audit.ts';
import { createTransferOpener, decideTransfer } from '../db/ledger/transfers.ts';
import { SYSTEM, type Actor } from '../domain/actor.ts';
import type { TransferId } from '../domain/ids.ts';
import type { Refused } from '../domain/process.ts';
import type {
  TransferDecision,
  TransferOrder,
  TransferState,
  TransferStatus,
} from '../domain/transfers/transfers.ts';
import type { ActivityDeps } from './deps.ts';
import { transaction } from '../db/transaction.ts';

export interface TransferActivities {
  /** Books the order, or holds its money until it is approved. A repeat answers what the transfer has become. */
  openTransfer(order: TransferOrder): Promise<TransferState | Refused>;
  /** Executes, rejects, cancels or expires a pending transfer and writes who did. The first decision stands. */
  decideTransfer(id: TransferId, decision: TransferDecision): Promise<TransferState | Refused>;
}

export function transferActivities({ em }: Pick<ActivityDeps, 'em'>): TransferActivities {
  const opener = createTransferOpener(em);
  return {
    async openTransfer(order) {
      const verdict = await opener.submit(order);
      const { status, refusal, members, waitSeconds } = verdict;
      if (refusal !== null) return { refused: refusal, ...(members === null ? {} : { members }) };
      if (status === null) throw new Error('transfers_open answered neither a status nor a refusal');
      return stateOf(status, waitSeconds);
    },

    decideTransfer: (id, decision) =>
      transaction(em(), async (tx) => {
        const verdict = await decideTransfer(tx, id, decision);
        if (verdict.refusal !== null || verdict.status === null)
          return { refused: verdict.refusal ?? 'not_found' };
        const state = stateOf(verdict.status, verdict.waitSeconds);
        if (!verdict.changed) return state;
        await record(tx, deciderOf(decision), {
          action: `transfer.${verdict.status}`,
          subject: ['transfer', id],
          before: { status: verdict.was },
          after: { status: verdict.status, code: decision.code },
          reason: decision.reason,
        });
        return state;
      }),
  };
}

function deciderOf({ by, role, requestId }: TransferDecision): Actor {
  return by === null || role === 'system' ? SYSTEM : { id: by, role, requestId };
}

function stateOf(status: TransferStatus, waitSeconds: number | null): TransferState {
  return { status, ...(waitSeconds === null ? {} : { waitSeconds: Math.max(waitSeconds, 1) }) };
}
