/** The days of scheduled transfers that have come: begun, priced, and told of if they were refused. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../adapters/cipher.ts';
import { askedOfParty } from '../../db/queries/aml/parties.ts';
import { mailAddressOf } from '../../db/queries/identity/people/mail-addresses.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import { lockRun, noteRefusal, takeDueRuns } from '../../db/queries/transfers/scheduled-runs.ts';
import {
  scheduledTransferById,
  type ScheduledTransferRow,
} from '../../db/queries/transfers/scheduled-transfers.ts';
import { transferState } from '../../db/queries/transfers/transfers.ts';
import type { OrderTaker } from '../../db/ledger/transfers.ts';
import { SYSTEM } from '../../domain/actor.ts';
import type { Refused } from '../../domain/process.ts';
import { isRefusal, refuse, type RefusalCode } from '../../domain/refusals.ts';
import { transferOrder, type OrderedPayee } from '../../domain/transfers/orders.ts';
import type { ScheduledRun } from '../../domain/transfers/scheduled-transfers.ts';
import type { TransferState } from '../../domain/transfers/transfers.ts';
import { scheduledTransferProcess } from '../../workflows/scheduled-transfer/process.ts';
import { payeeScreening, type ScreenPayee, type ScreeningSettings } from '../aml/screening.ts';
import { TakenBefore } from '../callers.ts';
import { notify } from '../notifications/events.ts';
import { priceTransfer } from '../pricing/price.ts';
import { takeOrder } from './taking.ts';

/** Starts the processes of at most so many days that have come; answers how many. Needs a transaction. */
export async function startDueRuns(db: EntityManager, zone: string, most: number): Promise<number> {
  const runs = await takeDueRuns.all(db, { zone, most });
  for (const run of runs) await launch(db, scheduledTransferProcess, run);
  return runs.length;
}

/**
 * Prices the transfer of a day as of now and orders it, once, whoever repeats it; answers its status. Its authority is the row of the
 * day, which the books read.
 */
export async function takeRun(
  db: EntityManager,
  run: ScheduledRun,
  orders: OrderTaker,
  settings: ScreeningSettings,
): Promise<Pick<TransferState, 'status'> | Refused> {
  const { transferId: id, userId: user } = run;
  // ordered before, and its outcome was lost: what it costs by now is no matter
  const made = await transferState.first(db, { id });
  if (made !== undefined) return { status: made.status };
  const wanted = await scheduledTransferById.first(db, { id: run.scheduledTransferId });
  const payee = wanted && payeeOf(wanted);
  if (wanted === undefined || payee === undefined) return { refused: 'not_found' };
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
    const order = transferOrder({ id, user, type, source, payee, price, description });
    const claim = { newId: id, key: null, stepUpId: null, requestId: null };
    const screen = await screeningOf(db, payee, settings);
    const { status } = await takeOrder({ caller: null, claim }, order, orders, screen);
    return { status };
  } catch (error) {
    if (error instanceof TakenBefore) return transferState.one(db, { id });
    // what may be otherwise in a moment is tried again by Temporal
    if (isRefusal(error) && error.code !== 'unavailable') return { refused: error.code };
    throw error;
  }
}

/** How a payee is screened; undefined for an account of this bank. */
async function screeningOf(
  db: EntityManager,
  payee: OrderedPayee,
  settings: ScreeningSettings,
): Promise<ScreenPayee | undefined> {
  if (!('beneficiary' in payee)) return undefined;
  const party = { partyType: 'beneficiary', partyId: payee.beneficiary.id } as const;
  const { asked } = await askedOfParty.one(db, party);
  return asked === null ? undefined : payeeScreening(db, settings, asked);
}

/** Keeps why a day moved nothing, and tells its customer, once. Needs a transaction. */
export async function tellRefusal(
  db: EntityManager,
  cipher: Cipher,
  { transferId, userId, dueOn }: ScheduledRun,
  refusal: RefusalCode,
): Promise<void> {
  // under the lock that an order of this day takes too
  await lockRun.run(db, { transferId });
  const noted = await noteRefusal.run(db, { transferId, refusal });
  const user = noted === 0 ? undefined : await mailAddressOf(db, userId);
  if (user === undefined) return;
  await notify(db, cipher, {
    userId,
    type: 'scheduled_transfer_refused',
    locale: user.locale,
    values: { day: dueOn },
  });
}

function payeeOf(wanted: ScheduledTransferRow): OrderedPayee | undefined {
  const { destinationAccountId: account, beneficiaryId: beneficiary } = wanted;
  if (account !== null) return { account: { id: account } };
  return beneficiary === null ? undefined : { beneficiary: { id: beneficiary } };
}
