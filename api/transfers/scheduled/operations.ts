/** Transfers for later: on a day, or again and again. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { record } from '../../../db/queries/platform/audit.ts';
import { isAnyClosed, runsOf, type ScheduledRunRow } from '../../../db/queries/transfers/scheduled-runs.ts';
import {
  cancelScheduledTransfer,
  insertScheduledTransfer,
  isDayAhead,
  scheduledTransferOf,
  scheduledTransfersOf,
  type ScheduledTransferRow,
} from '../../../db/queries/transfers/scheduled-transfers.ts';
import { ScheduledTransferId, type UserId } from '../../../domain/ids.ts';
import { formatMoney } from '../../../domain/money.ts';
import { faultIn, Refusal } from '../../../domain/refusals.ts';
import { MOST_DAYS_AHEAD } from '../../../domain/transfers/scheduled-transfers.ts';
import { keyset } from '../../wire/cursor.ts';
import { forUsers } from '../../declaration/operation.ts';
import { intentOf } from '../../../services/transfers/intent.ts';
import { pageQuery } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { transaction } from '../../../db/transaction.ts';

const byId = keyset<ScheduledTransferId>('scheduled-transfers', ScheduledTransferId);
const params = z.strictObject({ id: ScheduledTransferId });
const RUNS_SHOWN = 50;

export const createScheduledTransfer = forUsers({
  id: 'createScheduledTransfer',
  area: 'Finance',
  title: 'Schedule transfer',
  description:
    'Plans a transfer. On its day it is priced and made like any other, and may wait or be refused like any other. Fees, exchange rate, limits and balance are those of the day. Where it is refused on its day, the customer gets a message and nothing moves; the next day of a standing order is not changed by it.',
  method: 'POST',
  idempotency: 'required',
  path: '/v1/scheduled-transfers',
  stepUp: true,
  beyond: true,
  effect: 'own_transactions',
  body: wire.ScheduledTransferRequest,
  status: 201,
  answer: wire.ScheduledTransfer,
  refuses: [
    'account_closed',
    'currency_mismatch',
    'same_account',
    'transfer_type_unavailable',
    'too_many_requests',
  ],
  async handle(
    { caller, body: { starts_on, repeat, ...wanted }, db, newId, isRepeat, requestId, client },
    services,
  ) {
    const id = ScheduledTransferId.parse(newId);
    // its first day may be over since: what is there is not judged again
    const made = isRepeat ? await scheduledTransferOf.first(db, { id, userId: caller.id }) : undefined;
    if (made !== undefined) return view(made);
    await requireNear(db, starts_on, services.config.BANK_TIME_ZONE);
    const intent = await intentOf(db, caller.id, wanted, services);
    const destination = intent.payee.account?.id ?? null;
    const ends = destination === null ? [intent.source.id] : [intent.source.id, destination];
    await transaction(db, async (tx) => {
      const closed = await isAnyClosed(tx, ends);
      const inserted = await insertScheduledTransfer.run(tx, {
        id,
        userId: caller.id,
        typeCode: intent.type,
        sourceAccountId: intent.source.id,
        destinationAccountId: destination,
        beneficiaryId: intent.payee.beneficiary?.id ?? null,
        fixedSide: intent.fixed.side,
        amount: intent.fixed.minor,
        asset: intent.source.asset,
        targetAsset: intent.targetAsset,
        description: intent.description,
        startsOn: starts_on,
        repeatUnit: repeat?.unit ?? null,
        repeatEvery: repeat?.every ?? 1,
        endsOn: repeat?.ends_on ?? null,
      });
      // a repeat after a lost answer
      if (inserted === 0) return;
      if (closed) throw new Refusal('account_closed');
      await record(tx, {
        actorId: caller.id,
        actorRole: caller.role,
        action: 'scheduled_transfer.created',
        subjectType: 'scheduled_transfer',
        subjectId: id,
        after: { source_account_id: intent.source.id, starts_on },
        requestId,
        address: client.address,
      });
    });
    return view(await own(db, caller.id, id));
  },
});

export const listScheduledTransfers = forUsers({
  id: 'listScheduledTransfers',
  area: 'Finance',
  title: 'List scheduled transfers',
  description: 'The caller’s scheduled transfers, newest first.',
  method: 'GET',
  path: '/v1/scheduled-transfers',
  effect: 'read',
  beyond: true,
  query: z.strictObject(pageQuery(byId)),
  status: 200,
  answer: wire.ScheduledTransferList,
  refuses: [],
  async handle({ caller, db, query }) {
    const found = await scheduledTransfersOf.all(db, {
      userId: caller.id,
      before: query.cursor ?? null,
      most: query.limit + 1,
    });
    return byId.page(found, query.limit, (planned) => planned.id, view);
  },
});

export const getScheduledTransfer = forUsers({
  id: 'getScheduledTransfer',
  area: 'Finance',
  title: 'Get scheduled transfer',
  description: 'One of them, with what came of its last days.',
  method: 'GET',
  path: '/v1/scheduled-transfers/{id}',
  effect: 'read',
  beyond: true,
  params,
  status: 200,
  answer: wire.ScheduledTransfer,
  refuses: [],
  async handle({ caller, params: { id }, db }) {
    const planned = await own(db, caller.id, id);
    const runs = await runsOf.all(db, { scheduledTransferId: id, most: RUNS_SHOWN });
    return { ...view(planned), runs: runs.map(runView) };
  },
});

export const cancelScheduled = forUsers({
  id: 'cancelScheduledTransfer',
  area: 'Finance',
  title: 'Cancel scheduled transfer',
  description: 'Ends it. What its past days have begun goes its own way.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/scheduled-transfers/{id}/cancel',
  effect: 'transaction',
  stepUp: true,
  beyond: true,
  params,
  status: 200,
  answer: wire.ScheduledTransfer,
  refuses: ['schedule_not_active'],
  async handle({ caller, params: { id }, refusal, db, requestId, client }) {
    const before = await own(db, caller.id, id);
    const cancelled = await cancelScheduledTransfer.run(db, { id, userId: caller.id });
    if (cancelled === 0) throw refusal('schedule_not_active');
    await record(db, {
      actorId: caller.id,
      actorRole: caller.role,
      action: 'scheduled_transfer.cancelled',
      subjectType: 'scheduled_transfer',
      subjectId: id,
      before: { status: before.status, next_on: before.nextOn },
      after: { status: 'cancelled' },
      requestId,
      address: client.address,
    });
    return view(await own(db, caller.id, id));
  },
});

async function own(db: EntityManager, user: UserId, id: ScheduledTransferId): Promise<ScheduledTransferRow> {
  const planned = await scheduledTransferOf.first(db, { id, userId: user });
  if (planned === undefined) throw new Refusal('not_found');
  return planned;
}

/** Today up to a year ahead, by the bank's calendar. */
async function requireNear(db: EntityManager, day: string, zone: string): Promise<void> {
  if ((await isDayAhead.one(db, { day, zone, most: MOST_DAYS_AHEAD })).ahead) return;
  throw faultIn('/starts_on', 'out_of_range', `must be today or up to ${MOST_DAYS_AHEAD} days ahead`);
}

function view(planned: ScheduledTransferRow): z.input<typeof wire.ScheduledTransfer> {
  const isSourceFixed = planned.fixedSide === 'source';
  const amount = formatMoney({
    minor: planned.amount,
    asset: isSourceFixed ? planned.asset : planned.targetAsset,
  });
  return {
    id: planned.id,
    status: planned.status,
    type: planned.reach,
    source_account_id: planned.sourceAccountId,
    destination_account_number: planned.destinationNumber,
    beneficiary:
      planned.beneficiaryName === null || planned.beneficiaryIban === null
        ? null
        : { name: planned.beneficiaryName, account: planned.beneficiaryIban },
    amount: isSourceFixed ? amount : null,
    target_amount: isSourceFixed ? null : amount,
    description: planned.description,
    starts_on: planned.startsOn,
    repeat:
      planned.repeatUnit === null
        ? null
        : { unit: planned.repeatUnit, every: planned.repeatEvery, ends_on: planned.endsOn },
    next_on: planned.nextOn,
    created_at: planned.createdAt.toISOString(),
  };
}

function runView({ dueOn, transferId, status, refusal }: ScheduledRunRow) {
  // that an account is flagged is not its owner's to know
  const shown = status === 'aml_review' ? 'pending_approval' : status;
  return { due_on: dueOn, transfer_id: transferId, status: shown, refusal };
}

/** In the order of the documentation. */
export const operations = [
  createScheduledTransfer,
  listScheduledTransfers,
  getScheduledTransfer,
  cancelScheduled,
];
