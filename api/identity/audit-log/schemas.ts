/** Lines of the audit log on the wire. */
import { z } from 'zod';
import { AuditEntryId, UserId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { Instant, listOf, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const State = z.record(z.string(), z.unknown()).nullable();
const word = z.string().min(1).max(100);

const AuditEntry = named(
  'AuditEntry',
  z.strictObject({
    id: AuditEntryId,
    at: Timestamp,
    actor_id: z.string().nullable().describe('Null where nobody was logged in, or the service itself acted.'),
    actor_role: z.enum(['customer', 'admin', 'system']),
    action: z.string(),
    resource_type: z.string(),
    resource_id: z.string(),
    before: State.describe('What was changed, as it was. Personal data is hidden.'),
    after: State.describe('The same, as it is since.'),
    reason: z.string().nullable(),
    request_id: z.string().nullable(),
    address: z.string().nullable().describe('Of the client.'),
  }),
  {
    ...{ id: EXAMPLE_ID, at: '2026-03-01T09:30:00.000Z', actor_id: EXAMPLE_ID, actor_role: 'admin' },
    ...{ action: 'user.blocked', resource_type: 'user', resource_id: EXAMPLE_ID },
    ...{ before: { status: 'active' }, after: { status: 'blocked', ended_sessions: 1 } },
    ...{ reason: 'Reported a stolen phone', request_id: 'a-request', address: '192.0.2.7' },
  },
);

export const AuditEntryList = listOf('AuditEntryList', AuditEntry);
export type AuditEntryWire = z.output<typeof AuditEntry>;

/** What the log is narrowed to. */
export const narrowing = {
  actor_id: UserId.optional(),
  action: word.optional().describe('Such as user.blocked.'),
  resource_type: word.optional().describe('Such as user, account or transfer.'),
  resource_id: word.optional(),
  from: Instant.optional().describe('From this moment on.'),
  to: Instant.optional().describe('Before this moment.'),
};
