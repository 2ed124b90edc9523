/** Moving money that had to wait: one database transaction each, safe to repeat. */
import { record } from '../db/queries/platform/audit.ts';
import { carryOut, failTransfer, giveUpDecision, type StepVerdict } from '../db/ledger/transfers.ts';
import { transferState } from '../db/queries/transfers/transfers.ts';
import { SYSTEM, type Actor } from '../domain/actor.ts';
import type { DecisionId } from '../domain/ids.ts';
import type { TransferState, TransferStatus } from '../domain/transfers/transfers.ts';
import type { TransferActivities } from '../workflows/movement-steps.ts';
import type { ActivityDeps } from './deps.ts';
import { transaction } from '../db/transaction.ts';

export function transferActivities({ em }: Pick<ActivityDeps, 'em'>): TransferActivities {
  return {
    async transferState(id) {
      const found = await transferState.first(em(), { id });
      return found === undefined
        ? { refused: 'not_found' }
        : stateOf(found.status, found.waitSeconds, found.decision);
    },

    carryOutStep: (id, step) =>
      transaction(em(), async (tx) => {
        const verdict = await carryOut(tx, id, step);
        const { status, refusal, changed, was, code, reason } = verdict;
        if (refusal !== null || status === null) return { refused: refusal ?? 'not_found' };
        if (changed)
          await record(tx, deciderOf(verdict), {
            action: `transfer.${status}`,
            subject: ['transfer', id],
            before: { status: was },
            after: { status, code: code ?? undefined },
            reason,
          });
        return stateOf(status, verdict.waitSeconds);
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

    async giveUpDecision(id) {
      await giveUpDecision.run(em(), { id });
    },
  };
}

function deciderOf({ decider: id, deciderRole: role, requestId }: StepVerdict): Actor {
  return id === null || role === 'system' ? SYSTEM : { id, role, requestId: requestId ?? undefined };
}

function stateOf(
  status: TransferStatus,
  waitSeconds: number | null,
  decision: DecisionId | null = null,
): TransferState {
  return {
    status,
    ...(waitSeconds === null ? {} : { waitSeconds: Math.max(waitSeconds, 1) }),
    ...(decision === null ? {} : { decision }),
  };
}
