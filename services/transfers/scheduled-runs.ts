/** The days of scheduled transfers that have come: begun, priced, and told of if they were refused. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../adapters/cipher.ts';
import { mailAddressOf } from '../../db/queries/identity/people/mail-addresses.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import { noteRefusal, takeDueRuns } from '../../db/queries/transfers/scheduled-runs.ts';
import {
  scheduledTransferById,
  type ScheduledTransferRow,
} from '../../db/queries/transfers/scheduled-transfers.ts';
import { SYSTEM } from '../../domain/actor.ts';
import type { Refused } from '../../domain/process.ts';
import { isRefusal, refuse, type RefusalCode } from '../../domain/refusals.ts';
import { transferOrder, type OrderedPayee } from '../../domain/transfers/orders.ts';
import type { ScheduledRun } from '../../domain/transfers/scheduled-transfers.ts';
import type { TransferOrder } from '../../domain/transfers/transfers.ts';
import { scheduledTransferProcess } from '../../workflows/scheduled-transfer/process.ts';
import { sendMessage } from '../notifications/messages.ts';
import { priceTransfer } from '../pricing/price.ts';

/** Starts the processes of at most so many days that have come; answers how many. Needs a transaction. */
export async function startDueRuns(db: EntityManager, zone: string, most: number): Promise<number> {
  const runs = await takeDueRuns.all(db, { zone, most });
  for (const run of runs) await launch(db, scheduledTransferProcess, run);
  return runs.length;
}

/** The order of a day, priced as of now. */
export async function orderOfRun(db: EntityManager, run: ScheduledRun): Promise<TransferOrder | Refused> {
  const wanted = await scheduledTransferById.first(db, { id: run.scheduledTransferId });
  const payee = wanted && payeeOf(wanted);
  if (wanted === undefined || payee === undefined) return { refused: 'not_found' };
  const { userId: user, transferId: id } = run;
  const { reach: type, sourceAccountId: source, description } = wanted;
  try {
    const price = await priceTransfer(
      { db, actor: SYSTEM, refusal: refuse },
      {
        type,
        accountTypeId: wanted.sourceTypeId,
        sourceAsset: wanted.asset,
        targetAsset: wanted.targetAsset,
        fixed: { side: wanted.fixedSide, minor: wanted.amount },
      },
    );
    return transferOrder({ id, user, type, source, payee, price, description });
  } catch (error) {
    if (isRefusal(error)) return { refused: error.code };
    throw error;
  }
}

/** Keeps why a day moved nothing, and tells its customer, once. Needs a transaction. */
export async function tellRefusal(
  db: EntityManager,
  cipher: Cipher,
  { transferId, userId, dueOn }: ScheduledRun,
  refusal: RefusalCode,
): Promise<void> {
  const noted = await noteRefusal.run(db, { transferId, refusal });
  const user = noted === 0 ? undefined : await mailAddressOf(db, userId);
  if (user === undefined) return;
  await sendMessage(db, cipher, {
    userId,
    channel: 'email',
    to: user.email,
    template: 'scheduled_transfer_refused',
    locale: user.locale,
    values: { day: dueOn },
  });
}

function payeeOf(wanted: ScheduledTransferRow): OrderedPayee | undefined {
  const { destinationAccountId: account, destinationOwnerId: owner, beneficiaryId: beneficiary } = wanted;
  if (account !== null && owner !== null) return { account: { id: account, owner_id: owner } };
  return beneficiary === null ? undefined : { beneficiary: { id: beneficiary } };
}
