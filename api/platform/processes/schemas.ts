import { z } from 'zod';
import { named } from '../../wire/naming.ts';
import { listOf, Timestamp } from '../../wire/shapes.ts';

export const RefusedStart = named(
  'RefusedStart',
  z.strictObject({
    workflow_id: z.string(),
    process: z.string().describe('Kind of the process.'),
    failure: z.string().describe('What Temporal said.'),
    attempts: z.int(),
    set_aside: z
      .boolean()
      .describe('True after so many attempts that somebody has to look at it. It is tried once an hour.'),
    first_at: Timestamp,
    last_at: Timestamp,
    next_at: Timestamp.describe('When it is tried again.'),
  }),
  {
    workflow_id: 'transfer/0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e',
    process: 'transfer',
    failure: 'gRPC 3: Namespace name is not valid.',
    attempts: 12,
    set_aside: true,
    first_at: '2026-03-01T02:10:00.000Z',
    last_at: '2026-03-01T03:10:00.000Z',
    next_at: '2026-03-01T04:10:00.000Z',
  },
);
export const RefusedStartList = listOf('RefusedStartList', RefusedStart);
