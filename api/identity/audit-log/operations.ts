/** Who did what, and when. */
import { z } from 'zod';
import { pageOfAudit } from '../../../db/queries/platform/audit-log.ts';
import { AuditEntryId } from '../../../domain/ids.ts';
import { keyset } from '../../wire/cursor.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { pageQuery } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { auditEntryView } from './views.ts';

const byId = keyset<AuditEntryId>('audit-log', AuditEntryId);

export const listAuditLog = forAdmins({
  id: 'listAuditLog',
  area: 'Admin identity',
  title: 'List audit log',
  description:
    'The audit log, newest first. Newest first. Nobody can change or remove a line, and personal data in it is hidden.',
  method: 'GET',
  path: '/v1/admin/audit-log',
  effect: 'read',
  permission: 'audit:read',
  query: z.strictObject({ ...pageQuery(byId), ...wire.narrowing }),
  status: 200,
  answer: wire.AuditEntryList,
  refuses: [],
  beyond: true,
  async handle({ db, query }) {
    const { actor_id: actor, action, resource_type, resource_id, from, to } = query;
    const filter = { actor, action, subjectType: resource_type, subjectId: resource_id, from, to };
    const page = { filter, before: query.cursor ?? null, most: query.limit + 1 };
    const found = await pageOfAudit.all(db, page);
    return byId.page(found, query.limit, ({ id }) => id, auditEntryView);
  },
});

/** In the order of the documentation. */
export const operations = [listAuditLog];
