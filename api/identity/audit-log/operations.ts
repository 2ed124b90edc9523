/** Who did what, and when. */
import { pageOfAudit } from '../../../db/queries/platform/audit-log.ts';
import { AuditEntryId } from '../../../domain/ids.ts';
import { keysetById } from '../../wire/cursor.ts';
import { forAdmins } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';
import { auditEntryView } from './views.ts';

const byId = keysetById('audit-log', AuditEntryId);

export const listAuditLog = forAdmins({
  id: 'listAuditLog',
  area: 'Admin identity',
  title: 'List audit log',
  description:
    'The audit log, newest first. Nobody can change or remove an entry, and personal data in it is hidden.',
  method: 'GET',
  path: '/v1/admin/audit-log',
  effect: 'read',
  permission: 'audit:read',
  query: byId.query(wire.narrowing),
  status: 200,
  answer: wire.AuditEntryList,
  refuses: [],
  beyond: true,
  async handle({ db, query }) {
    const { actor_id: actor, action, resource_type, resource_id, from, to } = query;
    const filter = { actor, action, subjectType: resource_type, subjectId: resource_id, from, to };
    return byId.page(query, (before, most) => pageOfAudit.all(db, { filter, before, most }), auditEntryView);
  },
});

/** In the order of the documentation. */
export const operations = [listAuditLog];
