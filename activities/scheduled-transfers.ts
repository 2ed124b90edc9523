/** Starting what is due of scheduled transfers, pricing it, and telling who waits for it that it did not happen. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sendMessage } from '../adapters/messages.ts';
import { launch } from '../db/queries/platform/outbox.ts';
import { priceTransfer } from '../db/queries/pricing/pricing.ts';
import {
  noteRefusal,
  scheduledTransferById,
  takeDueRuns,
  type ScheduledTransferRow,
} from '../db/queries/transfers/scheduled-transfers.ts';
import { transferById } from '../db/queries/transfers/transfers.ts';
import { row } from '../db/sql.ts';
import type { TransferId } from '../domain/ids.ts';
import { transferOrder, type OrderedPayee } from '../domain/orders.ts';
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
  /** Whether the transfer of a day has its row: it is not refused then. */
  isBegun(id: TransferId): Promise<boolean>;
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

    orderOfRun: (run) => orderOf(em(), run),

    isBegun: async (id) => (await transferById(em(), id)) !== undefined,

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

async function orderOf(db: EntityManager, run: ScheduledRun): Promise<TransferOrder | Refused> {
  const wanted = await scheduledTransferById(db, run.scheduledTransferId);
  const payee = wanted && payeeOf(wanted);
  if (wanted === undefined || payee === undefined) return { refused: 'not_found' };
  try {
    const price = await priceTransfer(db, {
      type: wanted.reach,
      accountTypeId: wanted.source_type_id,
      sourceAsset: wanted.asset,
      targetAsset: wanted.target_asset,
      fixed: { side: wanted.fixed_side, minor: BigInt(wanted.amount) },
    });
    const { userId: user, transferId: id } = run;
    const { reach: type, source_account_id: source, description } = wanted;
    return transferOrder({ id, user, type, source, payee, price, description });
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.code };
    throw error;
  }
}

function payeeOf(wanted: ScheduledTransferRow): OrderedPayee | undefined {
  const {
    destination_account_id: account,
    destination_owner_id: owner,
    beneficiary_id: beneficiary,
  } = wanted;
  if (account !== null && owner !== null) return { account: { id: account, owner_id: owner } };
  return beneficiary === null ? undefined : { beneficiary: { id: beneficiary } };
}
