/** Wire shapes of the platform's own operations. */
import { z } from 'zod';
import { named } from '../wire/naming.ts';

export const HealthResponse = named('HealthResponse', z.strictObject({ status: z.literal('ok') }), {
  status: 'ok',
});

const Check = z.enum(['ok', 'down']);

export const ReadyResponse = named(
  'ReadyResponse',
  z.strictObject({
    status: z.enum(['ok', 'degraded']).describe('`degraded` if a part other than the database is down.'),
    checks: z.strictObject({ database: Check, temporal: Check, storage: Check, mail: Check }),
  }),
  { status: 'ok', checks: { database: 'ok', temporal: 'ok', storage: 'ok', mail: 'ok' } },
);
