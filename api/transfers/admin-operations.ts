/** What the back office does with transfers and adjustments: see what waits, execute, reject, cancel. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { storyOf } from '../../db/queries/transfers/transfer-story.ts';
import { transferById, type TransferRow } from '../../db/queries/transfers/transfers.ts';
import { forPeople, pendingTransfers } from '../../db/queries/transfers/waiting-transfers.ts';
import { DecisionId, TransferId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { openStatuses } from '../../domain/transfers/transfers.ts';
import { keysetById } from '../wire/cursor.ts';
import { forAdmins } from '../declaration/operation.ts';
import type { AdminCall } from '../../services/callers.ts';
import type { Services } from '../../services/services.ts';
import { decideOn } from '../../services/transfers/decisions.ts';
import * as ask from './requests.ts';
import * as wire from './schemas.ts';
import { adminTransferView, decided, storyView, type Decided } from './views.ts';

const byId = keysetById('pending-transfers', TransferId);
const params = z.strictObject({ id: TransferId });

export const listPendingTransfers = forAdmins({
  id: 'listPendingTransfers',
  area: 'Admin finance',
  title: 'List pending transfers',
  description: 'What waits, longest waiting first: for an approval, a cleared flag, the rail.',
  method: 'GET',
  path: '/v1/admin/transfers/pending',
  effect: 'read',
  permission: 'transfers:read',
  query: byId.query({
    status: z.enum(openStatuses).optional().describe('Left out: all that waits for a person.'),
  }),
  status: 200,
  answer: wire.AdminTransferList,
  refuses: [],
  handle({ db, query }, { config }) {
    const statuses = query.status === undefined ? forPeople : [query.status];
    return byId.page(
      query,
      (after, most) => pendingTransfers.all(db, { statuses, after, most }),
      (transfer) => adminTransferView(transfer, config),
    );
  },
});

export const getTransferAsAdmin = forAdmins({
  id: 'getTransferAsAdmin',
  area: 'Admin finance',
  title: 'Get transfer details (admin)',
  description: 'A transfer with its whole story: who asked, who decided, what was booked, and its process.',
  method: 'GET',
  path: '/v1/admin/transfers/{id}',
  effect: 'read',
  permission: 'transfers:read',
  params,
  status: 200,
  answer: wire.AdminTransfer,
  refuses: [],
  async handle({ params: { id }, db }, { config }) {
    const [transfer, story] = await Promise.all([anyTransfer(db, id), storyOf(db, id)]);
    return { ...adminTransferView(transfer, config), ...storyView(story) };
  },
});

export const executePendingTransfer = forAdmins({
  id: 'executePendingTransfer',
  area: 'Admin finance',
  title: 'Execute pending transfer',
  description:
    'Books a pending transfer or adjustment. Not by who asked for it, nor by who gains from it. If the books refuse it, for example ' +
    'because an account was blocked meanwhile, it ends as `failed` with a `failure_code`. The answer is 409 `transfer_not_pending` if ' +
    'somebody else was first, if its time is over, or if it failed because it can never be booked; `transfer_status` says which.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/transfers/{id}/execute',
  permission: 'transfers:review',
  params,
  body: ask.OptionalReason,
  status: 200,
  answer: wire.AdminTransfer,
  effect: 'decision',
  process: 'transfer',
  refuses: ['transfer_not_pending', 'same_person', 'balance_limit'],
  handle: (request, services) => decide('execute', request, services),
});

export const rejectPendingTransfer = forAdmins({
  id: 'rejectPendingTransfer',
  area: 'Admin finance',
  title: 'Reject pending transfer',
  description: 'Refuses a pending transfer or adjustment; the money is free again.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/transfers/{id}/reject',
  permission: 'transfers:review',
  params,
  body: ask.RequiredReason,
  status: 200,
  answer: wire.AdminTransfer,
  effect: 'decision',
  process: 'transfer',
  refuses: ['transfer_not_pending'],
  handle: (request, services) => decide('reject', request, services),
});

export const cancelPendingTransfer = forAdmins({
  id: 'cancelPendingTransfer',
  area: 'Admin finance',
  title: 'Cancel pending transfer',
  description: 'Takes back a pending transfer or adjustment on somebody’s behalf; the money is free again.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/transfers/{id}/cancel',
  permission: 'transfers:review',
  params,
  body: ask.RequiredReason,
  status: 200,
  answer: wire.AdminTransfer,
  effect: 'decision',
  process: 'transfer',
  refuses: ['transfer_not_pending'],
  handle: (request, services) => decide('cancel', request, services),
});

interface Deciding extends AdminCall<'transfer_not_pending'> {
  readonly newId: string;
  readonly params: z.output<typeof params>;
  readonly body: { readonly reason?: string | undefined };
}

async function decide(
  kind: 'execute' | 'reject' | 'cancel',
  request: Deciding,
  services: Services,
): Promise<Decided<z.output<typeof wire.AdminTransfer>>> {
  const { actor, body, db, newId, params } = request;
  const wish = { id: DecisionId.parse(newId), kind, by: actor, reason: body.reason ?? null };
  const transfer = await decideOn(params.id, wish, db, services);
  return decided(transfer, adminTransferView(transfer, services.config));
}

async function anyTransfer(db: EntityManager, id: TransferId): Promise<TransferRow> {
  return found(await transferById.first(db, { id }));
}

/** In the order of the documentation. */
export const operations = [
  listPendingTransfers,
  getTransferAsAdmin,
  executePendingTransfer,
  rejectPendingTransfer,
  cancelPendingTransfer,
];
