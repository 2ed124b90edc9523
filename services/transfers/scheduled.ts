/** Transfers for later, as their customer plans and cancels them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { record } from '../../db/queries/platform/audit.ts';
import { isAnyClosed } from '../../db/queries/transfers/scheduled-runs.ts';
import {
  cancelScheduledTransfer,
  insertScheduledTransfer,
  isDayAhead,
  scheduledTransferOf,
  type ScheduledTransferRow,
} from '../../db/queries/transfers/scheduled-transfers.ts';
import { transaction } from '../../db/transaction.ts';
import type { Person } from '../../domain/actor.ts';
import type { ScheduledTransferId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { MOST_DAYS_AHEAD, type RepeatUnit } from '../../domain/transfers/scheduled-transfers.ts';
import type { TransferIntent } from '../../domain/transfers/transfer-intent.ts';
import type { Call } from '../callers.ts';
import type { Services } from '../services.ts';
import { intentOf, type Asking, type Intent } from './intent.ts';

interface Plan {
  /** ISO 8601 day, as `endsOn`. */
  readonly startsOn: string;
  readonly repeat: {
    readonly unit: RepeatUnit;
    readonly every: number;
    readonly endsOn: string | null;
  } | null;
}

/** Plans a transfer. On each of its days it is priced and made like any other. */
export async function scheduleTransfer(
  call: Asking & Call<'account_closed'> & { readonly isRepeat: boolean },
  id: ScheduledTransferId,
  wanted: TransferIntent,
  plan: Plan,
  services: Pick<Services, 'config' | 'throttles'>,
): Promise<ScheduledTransferRow> {
  const { db, actor, isRepeat } = call;
  // its first day may be over since: what is there is not judged again
  const made = isRepeat ? await scheduledTransferOf.first(db, { id, userId: actor.id }) : undefined;
  if (made !== undefined) return made;
  await requireNear(db, plan.startsOn, services.config.BANK_TIME_ZONE);
  const intent = await intentOf(call, wanted, services);
  await transaction(db, (tx) => insert({ ...call, db: tx }, id, intent, plan));
  return found(await scheduledTransferOf.first(db, { id, userId: actor.id }));
}

/** Cancels a plan. What its past days have begun goes its own way. */
export async function cancelSchedule(
  { db, actor, refusal }: Call<'schedule_not_active'> & { readonly actor: Person },
  id: ScheduledTransferId,
): Promise<ScheduledTransferRow> {
  const own = { id, userId: actor.id };
  const before = found(await scheduledTransferOf.first(db, own));
  if ((await cancelScheduledTransfer.run(db, own)) === 0) throw refusal('schedule_not_active');
  await record(db, actor, {
    action: 'scheduled_transfer.cancelled',
    subject: ['scheduled_transfer', id],
    before: { status: before.status, next_on: before.nextOn },
    after: { status: 'cancelled' },
  });
  return found(await scheduledTransferOf.first(db, own));
}

/** Needs a transaction. */
async function insert(
  { db, actor, refusal }: Call<'account_closed'> & { readonly actor: Person },
  id: ScheduledTransferId,
  { type, source, payee, fixed, targetAsset, description }: Intent,
  { startsOn, repeat }: Plan,
): Promise<void> {
  const destination = payee.account?.id ?? null;
  const closed = await isAnyClosed(db, destination === null ? [source.id] : [source.id, destination]);
  const inserted = await insertScheduledTransfer.run(db, {
    ...{ id, userId: actor.id, typeCode: type, description, startsOn },
    ...{ sourceAccountId: source.id, destinationAccountId: destination },
    beneficiaryId: payee.beneficiary?.id ?? null,
    ...{ fixedSide: fixed.side, amount: fixed.minor, asset: source.asset, targetAsset },
    repeatUnit: repeat?.unit ?? null,
    repeatEvery: repeat?.every ?? 1,
    endsOn: repeat?.endsOn ?? null,
  });
  // a repeat after a lost answer
  if (inserted === 0) return;
  if (closed) throw refusal('account_closed');
  await record(db, actor, {
    action: 'scheduled_transfer.created',
    subject: ['scheduled_transfer', id],
    after: { source_account_id: source.id, starts_on: startsOn },
  });
}

/** Today up to a year ahead, by the bank's calendar. */
async function requireNear(db: EntityManager, day: string, zone: string): Promise<void> {
  if ((await isDayAhead.one(db, { day, zone, most: MOST_DAYS_AHEAD })).ahead) return;
  throw faultIn('/starts_on', 'out_of_range', `must be today or up to ${MOST_DAYS_AHEAD} days ahead`);
}
