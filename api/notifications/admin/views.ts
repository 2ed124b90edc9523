/** Types and templates as the wire shows them. */
import type { TemplateVersionRow } from '../../../db/queries/notifications/templates.ts';
import type { NotificationTypeRow } from '../../../db/queries/notifications/types.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const type = viewOf(wire.NotificationType);
export const templateView = viewOf(wire.NotificationTemplate);

export function typeView(row: NotificationTypeRow) {
  return type({
    ...row,
    channelsAllowed: [...row.channelsAllowed],
    channelsDefault: [...row.channelsDefault],
    variables: [...row.variables],
    ttl: row.ttlSeconds,
  });
}

export function versionView({ version, subject, body, status, createdBy, createdAt }: TemplateVersionRow) {
  return { version, subject, body, status, created_by: createdBy, created_at: createdAt };
}
