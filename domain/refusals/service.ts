/** The service itself. */
import type { Entry } from './entry.ts';

export const serviceRefusals = {
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    cause: 'A part this operation needs does not answer.',
    cure: 'Repeat the request with the same Idempotency-Key after Retry-After.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    cause: 'A fault of the service.',
    cure: 'Report the request id to support.',
  },
} as const satisfies Record<string, Entry>;
