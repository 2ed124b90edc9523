/** What the back office does with transfers and adjustments: see what waits, execute, reject, cancel. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { storyOf } from '../../db/queries/transfers/transfer-story.ts';
import { transferById, type TransferRow } from '../../db/queries/transfers/transfers.ts';
import { pendingTransfers, waitingStatuses } from '../../db/queries/transfers/waiting-transfers.ts';
import { TransferId } from '../../domain/ids.ts';
import { Refusal } from '../../domain/refusals.ts';
import { keyset } from '../cursor.ts';
import { operation, type Admin, type Context } from '../operation.ts';
import type { Services } from '../services.ts';
import { pageQuery } from '../wire.ts';
import { decideOn } from './decisions.ts';
import * as ask from './requests.ts';
import * as wire from './schemas.ts';
import { adminTransferView, storyView } from './views.ts';

const byId = keyset<TransferId>('pending-transfers', TransferId);
const params = z.strictObject({ id: TransferId });

/** What waits, longest waiting first: for an approval, a cleared flag, the rail. */
export const listPendingTransfers = operation({
  id: 'listPendingTransfers',
  area: 'Admin finance',
  title: 'List pending transfers',
  method: 'GET',
  path: '/v1/admin/transfers/pending',
  auth: 'admin',
  permission: 'transfers:read',
  query: z.strictObject({
    ...pageQuery(byId),
    status: z.enum(waitingStatuses).optional().describe('Left out: all that waits for a person.'),
  }),
  status: 200,
  answer: wire.AdminTransferList,
  refuses: [],
  async handle({ db, query }, { config }) {
    const found = await pendingTransfers.all(db, {
      statuses: query.status === undefined ? ['pending_approval', 'aml_review'] : [query.status],
      after: query.cursor ?? null,
      most: query.limit + 1,
    });
    return byId.page(
      found,
      query.limit,
      (transfer) => transfer.id,
      (transfer) => adminTransferView(transfer, config),
    );
  },
});

/** A transfer with its whole story: who asked, who decided, what was booked, and its process. */
export const getTransferAsAdmin = operation({
  id: 'getTransferAsAdmin',
  area: 'Admin finance',
  title: 'Get transfer details (admin)',
  method: 'GET',
  path: '/v1/admin/transfers/{id}',
  auth: 'admin',
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

/** Books a pending transfer or adjustment. Not by who asked for it, nor by who gains from it. */
export const executePendingTransfer = operation({
  id: 'executePendingTransfer',
  area: 'Admin finance',
  title: 'Execute pending transfer',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/transfers/{id}/execute',
  auth: 'admin',
  permission: 'transfers:review',
  params,
  body: ask.OptionalReason,
  status: 200,
  answer: wire.AdminTransfer,
  process: 'transfer',
  refuses: ['transfer_not_pending', 'same_person'],
  handle: (request, services) => decided('execute', request, services),
});

/** Refuses a pending transfer or adjustment; the money is free again. */
export const rejectPendingTransfer = operation({
  id: 'rejectPendingTransfer',
  area: 'Admin finance',
  title: 'Reject pending transfer',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/transfers/{id}/reject',
  auth: 'admin',
  permission: 'transfers:review',
  params,
  body: ask.RequiredReason,
  status: 200,
  answer: wire.AdminTransfer,
  process: 'transfer',
  refuses: ['transfer_not_pending'],
  handle: (request, services) => decided('reject', request, services),
});

/** Takes back a pending transfer or adjustment on somebody's behalf; the money is free again. */
export const cancelPendingTransfer = operation({
  id: 'cancelPendingTransfer',
  area: 'Admin finance',
  title: 'Cancel pending transfer',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/transfers/{id}/cancel',
  auth: 'admin',
  permission: 'transfers:review',
  params,
  body: ask.RequiredReason,
  status: 200,
  answer: wire.AdminTransfer,
  process: 'transfer',
  refuses: ['transfer_not_pending'],
  handle: (request, services) => decided('cancel', request, services),
});

interface Deciding extends Pick<Context<Admin>, 'caller' | 'db' | 'newId' | 'requestId'> {
  readonly params: z.output<typeof params>;
  readonly body: { readonly reason?: string | undefined };
}

async function decided(
  kind: 'execute' | 'reject' | 'cancel',
  { caller, params: { id }, body, db, newId, requestId }: Deciding,
  services: Services,
): Promise<z.input<typeof wire.AdminTransfer>> {
  const decision = { kind, by: caller.id, role: 'admin', reason: body.reason ?? null, requestId } as const;
  const transfer = await decideOn(await anyTransfer(db, id), decision, newId, db, services);
  return adminTransferView(transfer, services.config);
}

async function anyTransfer(db: EntityManager, id: TransferId): Promise<TransferRow> {
  const transfer = await transferById.first(db, { id });
  if (transfer === undefined) throw new Refusal('not_found');
  return transfer;
}
