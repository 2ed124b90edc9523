/** Starting what is due of scheduled transfers, pricing it, and telling who waits for it that it did not happen. */
import { sendMessage } from '../adapters/messages.ts';
import { launch } from '../db/outbox.ts';
import { priceTransfer } from '../db/pricing.ts';
import { noteRefusal, scheduledTransferById, takeDueRuns } from '../db/queries/scheduled-transfers.ts';
import { row } from '../db/sql.ts';
import { transferOrder } from '../domain/orders.ts';
import type { Refused } from '../domain/process.ts';
import { Refusal, type RefusalCode } from '../domain/refusals.ts';
import type { ScheduledRun } from '../domain/scheduled-transfers.ts';
import type { TransferOrder } from '../domain/transfers.ts';
import { scheduledTransferProcess } from '../workflows/scheduled-transfer/contract.ts';
import type { ActivityDeps } from './deps.ts';

export interface ScheduledTransferActivities {
  /** Starts the processes of at most so many days that have come; answers how many. */
  startDueRuns(most: number): Promise<number>;
  /** The order of a day, priced as of now. */
  orderOfRun(run: ScheduledRun): Promise<TransferOrder | Refused>;
  /** Keeps why a day moved nothing, and tells its customer, once. */
  tellRefusal(run: ScheduledRun, code: RefusalCode): Promise<void>;
}

type Needs = Pick<ActivityDeps, 'em' | 'cipher' | 'config'>;

export function scheduledTransferActivities({ em, cipher, config }: Needs): ScheduledTransferActivities {
  return {
    startDueRuns: (most) =>
      em().transactional(async (tx) => {
        const runs = await takeDueRuns(tx, config.BANK_TIME_ZONE, most);
        for (const run of runs) await launch(tx, scheduledTransferProcess, run);
        return runs.length;
      }),

    async orderOfRun(run) {
      const wanted = await scheduledTransferById(em(), run.scheduledTransferId);
      if (wanted === undefined) return { refused: 'not_found' };
      const {
        fixed_side: side,
        amount,
        destination_account_id: account,
        destination_owner_id: owner,
      } = wanted;
      try {
        const price = await priceTransfer(em(), {
          type: wanted.reach,
          accountTypeId: wanted.source_type_id,
          sourceAsset: wanted.asset,
          targetAsset: wanted.target_asset,
          fixed: { side, minor: BigInt(amount) },
        });
        const payee =
          account !== null && owner !== null
            ? { account: { id: account, owner_id: owner } }
            : wanted.beneficiary_id !== null
              ? { beneficiary: { id: wanted.beneficiary_id } }
              : null;
        if (payee === null) return { refused: 'not_found' };
        return transferOrder({
          id: run.transferId,
          user: run.userId,
          type: wanted.reach,
          source: wanted.source_account_id,
          payee,
          price,
          description: wanted.description,
        });
      } catch (error) {
        if (error instanceof Refusal) return { refused: error.code };
        throw error;
      }
    },

    tellRefusal: (run, code) =>
      em().transactional(async (tx) => {
        if (!(await noteRefusal(tx, run, code))) return;
        const user = await row<{ email: string; locale: string }>(
          tx,
          'select email, locale from users where id = $1',
          [run.userId],
        );
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
