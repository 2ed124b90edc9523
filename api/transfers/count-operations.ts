/** Counting transfers at the back office. */
import { z } from 'zod';
import { countTransfers } from '../../db/queries/transfers/transfer-counts.ts';
import { transferKinds, transferStatuses } from '../../domain/transfers/transfers.ts';
import { forAdmins } from '../declaration/operation.ts';
import { CountResponse } from '../wire/shapes.ts';

export const countTransfersAsAdmin = forAdmins({
  id: 'countTransfers',
  area: 'Admin finance',
  title: 'Count transfers by status',
  description: 'How many transfers, adjustments and reversals there are, in all and by status.',
  method: 'GET',
  path: '/v1/admin/transfers/count',
  effect: 'read',
  permission: 'transfers:read',
  query: z.strictObject({
    kind: z.enum(transferKinds).optional().describe('Left out, all of them are counted.'),
    status: z.enum(transferStatuses).optional(),
    type: z
      .string()
      .regex(/^[a-z][a-z0-9_]{1,39}$/)
      .optional()
      .describe('Code of a transfer type.'),
  }),
  status: 200,
  answer: CountResponse,
  refuses: [],
  async handle({ query, db }) {
    const found = await countTransfers.all(db, query);
    return {
      count: found.reduce((sum, { count }) => sum + count, 0),
      by_status: Object.fromEntries(found.map(({ status, count }) => [status, count])),
    };
  },
});

/** In the order of the documentation. */
export const operations = [countTransfersAsAdmin];
