/** Moving money that had to wait: one database transaction each, safe to repeat. */
import { record } from '../db/queries/platform/audit.ts';
import { carryOut, failTransfer, giveUpDecision } from '../db/ledger/transfers.ts';
import { transferState } from '../db/queries/transfers/transfers.ts';
import { SYSTEM } from '../domain/actor.ts';
import type { DecisionId } from '../domain/ids.ts';
import type { TransferState, TransferStatus } from '../domain/transfers/transfers.ts';
import type { TransferActivities } from '../workflows/movement-steps.ts';
import { refuse } from '../domain/refusals.ts';
import { screenPayeeOf } from '../services/aml/screening.ts';
import { watchSettings } from '../watch-settings.ts';
import type { ActivityDeps } from './deps.ts';
import { transaction } from '../db/transaction.ts';

const DEFAULTS = { AML_MATCH_THRESHOLD: watchSettings.AML_MATCH_THRESHOLD.parse(undefined) };

/** A payee is screened by the settings of the bank, or by what they are if nobody sets them. */
type Needs = Pick<ActivityDeps, 'em'> & {
  readonly config?: Pick<ActivityDeps['config'], 'AML_MATCH_THRESHOLD'>;
};

export function transferActivities({ em, config = DEFAULTS }: Needs): TransferActivities {
  return {
    async transferState(id) {
      const found = await transferState.first(em(), { id });
      return found === undefined
        ? { refused: 'not_found' }
        : stateOf(found.status, found.waitSeconds, found.decision);
    },

    async carryOutStep(id, step) {
      let carried = await carryOut(em(), id, step);
      // a list has taken effect since the payee was screened
      if (carried.refusal === 'unavailable') {
        await screenPayeeOf(em(), id, config.AML_MATCH_THRESHOLD);
        carried = await carryOut(em(), id, step);
      }
      const { status, refusal, waitSeconds } = carried;
      if (refusal === 'unavailable') throw refuse(refusal);
      if (refusal !== null || status === null) return { refused: refusal ?? 'not_found' };
      return stateOf(status, waitSeconds);
    },

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
