/** Moving money that had to wait: one database transaction each, safe to repeat. */
import { record } from '../db/queries/platform/audit.ts';
import { decideTransfer, failTransfer } from '../db/ledger/transfers.ts';
import { transferState } from '../db/queries/transfers/transfers.ts';
import { SYSTEM, type Actor } from '../domain/actor.ts';
import type { TransferDecision, TransferState, TransferStatus } from '../domain/transfers/transfers.ts';
import type { TransferActivities } from '../workflows/movement-steps.ts';
import type { ActivityDeps } from './deps.ts';
import { transaction } from '../db/transaction.ts';

export function transferActivities({ em }: Pick<ActivityDeps, 'em'>): TransferActivities {
  return {
    async transferState(id) {
      const found = await transferState.first(em(), { id });
      return found === undefined ? { refused: 'not_found' } : stateOf(found.status, found.waitSeconds);
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

    failTransfer: (id, step) =>
      transaction(em(), async (tx) => {
        const { status, refusal, changed, was } = await failTransfer(tx, id);
        if (refusal !== null) return { refused: refusal };
        if (changed)
          await record(tx, SYSTEM, {
            action: 'transfer.failed',
            subject: ['transfer', id],
            before: { status: was },
            after: { status: 'failed', step },
          });
        return { status: status ?? 'failed' };
      }),
  };
}

function deciderOf({ by, role, requestId }: TransferDecision): Actor {
  return by === null || role === 'system' ? SYSTEM : { id: by, role, requestId };
}

function stateOf(status: TransferStatus, waitSeconds: number | null): TransferState {
  return { status, ...(waitSeconds === null ? {} : { waitSeconds: Math.max(waitSeconds, 1) }) };
}
