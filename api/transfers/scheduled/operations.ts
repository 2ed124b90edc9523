/** Transfers for later: on a day, or again and again. */
import { z } from 'zod';
import { runsOf } from '../../../db/queries/transfers/scheduled-runs.ts';
import {
  scheduledTransferOf,
  scheduledTransfersOf,
} from '../../../db/queries/transfers/scheduled-transfers.ts';
import { ScheduledTransferId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { scheduledApproval } from '../../../services/transfers/approval.ts';
import { cancelSchedule, scheduleTransfer } from '../../../services/transfers/scheduled.ts';
import { keysetById } from '../../wire/cursor.ts';
import { forUsers } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';
import { runView, scheduledTransferView } from './views.ts';

const byId = keysetById('scheduled-transfers', ScheduledTransferId);
const params = z.strictObject({ id: ScheduledTransferId });
const RUNS_SHOWN = 50;

export const createScheduledTransfer = forUsers({
  id: 'createScheduledTransfer',
  area: 'Finance',
  title: 'Schedule transfer',
  description:
    'Plans a transfer, once or again and again. On its day it is priced and made like any other, with the fees, exchange rate, limits and balance of that day, so it may wait or be refused. If it is refused, the customer gets a message and nothing moves; a standing order goes on with its next day.',
  method: 'POST',
  idempotency: 'required',
  path: '/v1/scheduled-transfers',
  stepUp: scheduledApproval,
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
  async handle(request, services) {
    const { starts_on: startsOn, repeat = null, ...wanted } = request.body;
    const plan = { startsOn, repeat: repeat && { ...repeat, endsOn: repeat.ends_on ?? null } };
    const id = ScheduledTransferId.parse(request.newId);
    return scheduledTransferView(await scheduleTransfer(request, id, wanted, plan, services));
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
  query: byId.query({}),
  status: 200,
  answer: wire.ScheduledTransferList,
  refuses: [],
  handle: ({ caller, db, query }) =>
    byId.page(
      query,
      (before, most) => scheduledTransfersOf.all(db, { userId: caller.id, before, most }),
      scheduledTransferView,
    ),
});

export const getScheduledTransfer = forUsers({
  id: 'getScheduledTransfer',
  area: 'Finance',
  title: 'Get scheduled transfer',
  description: 'One of the caller’s scheduled transfers, with the outcome of its last days.',
  method: 'GET',
  path: '/v1/scheduled-transfers/{id}',
  effect: 'read',
  beyond: true,
  params,
  status: 200,
  answer: wire.ScheduledTransfer,
  refuses: [],
  async handle({ caller, params: { id }, db }) {
    const planned = found(await scheduledTransferOf.first(db, { id, userId: caller.id }));
    const runs = await runsOf.all(db, { scheduledTransferId: id, most: RUNS_SHOWN });
    return { ...scheduledTransferView(planned), runs: runs.map(runView) };
  },
});

export const cancelScheduled = forUsers({
  id: 'cancelScheduledTransfer',
  area: 'Finance',
  title: 'Cancel scheduled transfer',
  description: 'Cancels a scheduled transfer. Transfers that it has begun already are not affected.',
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
  async handle(request) {
    return scheduledTransferView(await cancelSchedule(request, request.params.id));
  },
});

/** In the order of the documentation. */
export const operations = [
  createScheduledTransfer,
  listScheduledTransfers,
  getScheduledTransfer,
  cancelScheduled,
];
