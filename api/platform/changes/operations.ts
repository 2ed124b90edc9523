/** Changes that wait for a second administrator: see what waits, approve, reject, withdraw. */
import { z } from 'zod';
import { changes, countChanges, type ChangeFilter } from '../../../db/queries/platform/change-lists.ts';
import { ChangeId } from '../../../domain/ids.ts';
import type { Admin } from '../../../services/callers.ts';
import {
  approveChange as approve,
  decideOnChange,
  visibleChange,
} from '../../../services/platform/change-decisions.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import { CountResponse } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { changeView } from './views.ts';

const byId = keysetById('changes', ChangeId);
const params = z.strictObject({ id: ChangeId });
const about = { area: 'Admin changes', permission: null, beyond: true } as const;

export const listChanges = forAdmins({
  ...about,
  id: 'listChanges',
  title: 'List changes',
  description:
    'Lists changes that wait for a second administrator, or waited for one, newest first: the caller’s own, those that the caller’s permissions open, and those of what the caller may read.',
  method: 'GET',
  path: '/v1/admin/changes',
  effect: 'read',
  query: byId.query(wire.narrowing),
  status: 200,
  answer: wire.PendingChangeList,
  refuses: [],
  async handle({ db, caller, query }, { config }) {
    const filter = filterOf(query, caller);
    return byId.page(
      query,
      (before, most) => changes.all(db, { filter, before, most }),
      (change) => changeView(change, config),
    );
  },
});

export const countAllChanges = forAdmins({
  ...about,
  id: 'countChanges',
  title: 'Count changes',
  description: 'Counts the changes that the list shows with the same filters, in total and by status.',
  method: 'GET',
  path: '/v1/admin/changes/count',
  effect: 'read',
  query: z.strictObject(wire.narrowing),
  status: 200,
  answer: CountResponse,
  refuses: [],
  async handle({ db, caller, query }) {
    const counts = await countChanges.all(db, filterOf(query, caller));
    return {
      count: counts.reduce((sum, { count }) => sum + count, 0),
      by_status: Object.fromEntries(counts.map((row) => [row.status, row.count])),
    };
  },
});

export const getChange = forAdmins({
  ...about,
  id: 'getChange',
  title: 'Get change',
  description: 'Returns one change with the state before and after it.',
  method: 'GET',
  path: '/v1/admin/changes/{id}',
  effect: 'read',
  params,
  status: 200,
  answer: wire.PendingChange,
  refuses: [],
  handle: async ({ db, caller, params: { id } }, { config }) =>
    changeView(await visibleChange(db, id, caller), config),
});

const deciding = {
  ...about,
  method: 'POST',
  idempotency: 'accepted',
  effect: 'own_transactions',
  process: 'change',
  params,
  status: 200,
  answer: wire.PendingChange,
} as const;

export const approveChange = forAdmins({
  ...deciding,
  id: 'approveChange',
  title: 'Approve change',
  description:
    'Approves a change and carries it out at once, as its maker. The caller needs the permission of the operation that was called and must be independent of the maker: neither has made the other an administrator, unless a third person has countersigned that. Whoever gains by the change cannot approve it.',
  path: '/v1/admin/changes/{id}/approve',
  body: wire.ChangeApproval,
  refuses: ['already_decided', 'forbidden', 'same_person', 'change_stale', 'change_failed'],
  async handle(request, services) {
    const { params: at, body } = request;
    return changeView(await approve(request, at.id, body.reason ?? null, services), services.config);
  },
});

export const rejectChange = forAdmins({
  ...deciding,
  id: 'rejectChange',
  title: 'Reject change',
  description:
    'Rejects a change, which ends without effect. The caller needs the permission of the operation that was called. The maker withdraws instead.',
  path: '/v1/admin/changes/{id}/reject',
  body: wire.ChangeRejection,
  refuses: ['already_decided', 'forbidden', 'same_person'],
  async handle(request, services) {
    const { params: at, body } = request;
    const decision = { wanted: 'rejected', reason: body.reason } as const;
    return changeView(await decideOnChange(request, at.id, decision, services), services.config);
  },
});

export const withdrawChange = forAdmins({
  ...deciding,
  id: 'withdrawChange',
  title: 'Withdraw change',
  description: 'Takes back a change that the caller has asked for.',
  path: '/v1/admin/changes/{id}/withdraw',
  refuses: ['already_decided', 'forbidden', 'same_person'],
  async handle(request, services) {
    const decision = { wanted: 'withdrawn', reason: null } as const;
    return changeView(await decideOnChange(request, request.params.id, decision, services), services.config);
  },
});

function filterOf(
  { status, operation, resource, q: maker }: z.output<z.ZodObject<typeof wire.narrowing>>,
  { id, permissions }: Admin,
): ChangeFilter {
  const reader = { id, permissions: [...permissions] };
  return {
    status,
    operation,
    maker,
    reader,
    ...(resource === undefined ? {} : { resource: named(resource) }),
  };
}

/** `account/{id}`, or the id alone. An id may hold a slash: `fx_rate/EUR/USD`. */
function named(resource: string): NonNullable<ChangeFilter['resource']> {
  const [type = '', ...id] = resource.split('/');
  return id.length === 0 ? { id: type } : { type, id: id.join('/') };
}

/** In the order of the documentation. */
export const operations = [
  listChanges,
  countAllChanges,
  getChange,
  approveChange,
  rejectChange,
  withdrawChange,
];
