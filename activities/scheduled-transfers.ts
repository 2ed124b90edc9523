/** Starting what is due of scheduled transfers, pricing it, and telling who waits for it that it did not happen. */
import type { ScheduledTransferActivities } from '../workflows/scheduled-transfer/contract.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sendMessage } from '../services/notifications/messages.ts';
import { launch } from '../db/queries/platform/outbox.ts';
import { priceTransfer } from '../services/pricing/price.ts';
import { mailAddressOf } from '../db/queries/identity/people/mail-addresses.ts';
import { noteRefusal, takeDueRuns } from '../db/queries/transfers/scheduled-runs.ts';
import {
  scheduledTransferById,
  type ScheduledTransferRow,
} from '../db/queries/transfers/scheduled-transfers.ts';
import { transferById } from '../db/queries/transfers/transfers.ts';
import { transferOrder, type OrderedPayee } from '../domain/transfers/orders.ts';
import type { Refused } from '../domain/process.ts';
import { isRefusal } from '../domain/refusals.ts';
import type { ScheduledRun } from '../domain/transfers/scheduled-transfers.ts';
import type { TransferOrder } from '../domain/transfers/transfers.ts';
import { scheduledTransferProcess } from '../workflows/scheduled-transfer/process.ts';
import type { ActivityDeps } from './deps.ts';
import { transaction } from '../db/transaction.ts';

type Needs = Pick<ActivityDeps, 'em' | 'cipher' | 'config'>;

export function scheduledTransferActivities({ em, cipher, config }: Needs): ScheduledTransferActivities {
  return {
    startDueRuns: (most) =>
      transaction(em(), async (tx) => {
        const runs = await takeDueRuns.all(tx, { zone: config.BANK_TIME_ZONE, most });
        for (const run of runs) await launch(tx, scheduledTransferProcess, run);
        return runs.length;
      }),

    orderOfRun: (run) => orderOf(em(), run),

    isBegun: async (id) => (await transferById.first(em(), { id })) !== undefined,

    tellRefusal: (run, code) =>
      transaction(em(), async (tx) => {
        const noted = await noteRefusal.run(tx, { transferId: run.transferId, refusal: code });
        if (noted === 0) return;
        const user = await mailAddressOf(tx, run.userId);
        if (user === undefined) return;
        await sendMessage(tx, cipher, {
          userId: run.userId,
          channel: 'email',
          to: user.email,
          template: 'scheduled_transfer_refused',
          locale: user.locale,
          values: { day: run.dueOn },
        });
      }),
  };
}

async function orderOf(db: EntityManager, run: ScheduledRun): Promise<TransferOrder | Refused> {
  const wanted = await scheduledTransferById.first(db, { id: run.scheduledTransferId });
  const payee = wanted && payeeOf(wanted);
  if (wanted === undefined || payee === undefined) return { refused: 'not_found' };
  try {
    const price = await priceTransfer(db, {
      type: wanted.reach,
      accountTypeId: wanted.sourceTypeId,
      sourceAsset: wanted.asset,
      targetAsset: wanted.targetAsset,
      fixed: { side: wanted.fixedSide, minor: wanted.amount },
    });
    const { userId: user, transferId: id } = run;
    const { reach: type, sourceAccountId: source, description } = wanted;
    return transferOrder({ id, user, type, source, payee, price, description });
  } catch (error) {
    if (isRefusal(error)) return { refused: error.code };
    throw error;
  }
}

function payeeOf(wanted: ScheduledTransferRow): OrderedPayee | undefined {
  const { destinationAccountId: account, destinationOwnerId: owner, beneficiaryId: beneficiary } = wanted;
  if (account !== null && owner !== null) return { account: { id: account, owner_id: owner } };
  return beneficiary === null ? undefined : { beneficiary: { id: beneficiary } };
}
