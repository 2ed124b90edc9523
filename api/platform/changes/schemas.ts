/** Changes that wait for a second administrator, on the wire. */
import { z } from 'zod';
import { CHANGE_STATUSES } from '../../../domain/changes.ts';
import { ChangeId, UserId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { ProcessLink } from '../../wire/process-link.ts';
import { Line, Reason } from '../../wire/text.ts';
import { listOf, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const State = z.record(z.string(), z.unknown()).nullable();

export const PendingChange = named(
  'PendingChange',
  z.strictObject({
    id: ChangeId,
    operation: z.string().describe('operationId of the operation that was called.'),
    resource: z.string().describe('What is changed: its kind and its id, `account/{id}`.'),
    before: State.describe(
      'What the change is about, as it was. Personal data is hidden; null if there was nothing.',
    ),
    after: State.describe('The same, as the change would leave it.'),
    status: z
      .enum(CHANGE_STATUSES)
      .describe(
        '`open` waits; `stale`: the resource had changed when it was approved; `failed`: it was refused when it was approved. Both end without effect.',
      ),
    requested_by: UserId,
    created_at: Timestamp,
    expires_at: Timestamp,
    decided_by: UserId.nullable(),
    decided_at: Timestamp.nullable(),
    reason: z.string().nullable().describe('Of the decision.'),
    failure: z.string().nullable().describe('Code of the refusal that ended it as `failed`.'),
    process: ProcessLink,
  }),
  {
    ...{ id: EXAMPLE_ID, operation: 'setAccountLimits', resource: `account/${EXAMPLE_ID}` },
    before: { overdraft_limit: { amount: '0.00', currency: 'EUR' } },
    after: { overdraft_limit: { amount: '500.00', currency: 'EUR' } },
    ...{ status: 'open', requested_by: EXAMPLE_ID, created_at: '2026-03-01T09:30:00.000Z' },
    ...{ expires_at: '2026-03-08T09:30:00.000Z', decided_by: null, decided_at: null },
    ...{ reason: null, failure: null },
    process: {
      workflow_id: `change/${EXAMPLE_ID}`,
      url: `http://127.0.0.1:8233/namespaces/default/workflows/change%2F${EXAMPLE_ID}`,
    },
  },
);
export const PendingChangeList = listOf('PendingChangeList', PendingChange);

/** What a list or a count is narrowed to. */
export const narrowing = {
  status: z.enum(CHANGE_STATUSES).optional(),
  operation: z.string().max(100).optional().describe('An operationId.'),
  resource: z
    .string()
    .min(1)
    .max(261)
    .optional()
    .describe('What is changed: `account/{id}`, or the id alone.'),
  q: Line(100, 2).optional().describe('A part of the name of whoever asked.'),
};

export const ChangeApproval = named('ChangeApproval', z.strictObject({ reason: Reason.optional() }), {
  reason: 'Agreed with the customer',
});

export const ChangeRejection = named('ChangeRejection', z.strictObject({ reason: Reason }), {
  reason: 'The limit is too high',
});
