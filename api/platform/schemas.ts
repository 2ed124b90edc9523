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
    status: z.literal('ok'),
    checks: z.strictObject({ database: Check, temporal: Check, storage: Check }),
  }),
  { status: 'ok', checks: { database: 'ok', temporal: 'ok', storage: 'ok' } },
);
