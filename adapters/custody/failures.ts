/** What the SDK of Fireblocks throws, as failures of the port. None of it is passed on: it holds the request with its token. */
import { z } from 'zod';
import { CustodianFailure, type FailureKind } from './custodian.ts';

/** Fireblocks has answered with another status than 2xx. */
export class Unsuccessful extends CustodianFailure {
  readonly status: number;
  /** The Idempotency-Key belongs to a call that ended in an internal error, and cannot be used again for 24 hours. */
  readonly isKeyUsedUp: boolean;
  constructor(failure: CustodianFailure, status: number, isKeyUsedUp: boolean) {
    super(failure.kind, failure.message, failure.retryAfterSeconds);
    this.status = status;
    this.isKeyUsedUp = isKeyUsedUp;
  }
}

/** A `FireblocksError` is not an Error, and has a response only if one came. */
const Thrown = z.looseObject({
  message: z.string().catch(''),
  response: z
    .looseObject({
      statusCode: z.int(),
      data: z
        .looseObject({ message: z.string().catch(''), code: z.int().optional().catch(undefined) })
        .catch({
          message: '',
          code: undefined,
        }),
      headers: z.looseObject({ 'retry-after': z.string().optional() }).catch({}),
    })
    .optional()
    .catch(undefined),
});

/** None of these says that the request is wrong: a clock or key, a permission, a slow request, another call that does the same. */
const PASSING: ReadonlySet<number> = new Set([401, 403, 408, 409]);

/** `operation` is the name of the call in the SDK. */
export function failureOf(operation: string, thrown: unknown): CustodianFailure {
  if (thrown instanceof CustodianFailure) return thrown;
  const { message = '', response } = Thrown.safeParse(thrown).data ?? {};
  if (response === undefined)
    return new CustodianFailure('away', `${operation}: the custodian did not answer (${causeIn(message)})`);
  const { statusCode: status, data, headers } = response;
  const code = data.code === undefined ? '' : ` with code ${String(data.code)}`;
  const told = `${operation}: the custodian answered ${String(status)}${code}`;
  // Fireblocks documents no code for it
  const isKeyUsedUp = status === 400 && /idempotency key/i.test(data.message);
  const failure = new CustodianFailure(kindOf(status), told, secondsIn(headers['retry-after']));
  return new Unsuccessful(failure, status, isKeyUsedUp);
}

function kindOf(status: number): FailureKind {
  if (status === 429) return 'busy';
  return status >= 400 && status < 500 && !PASSING.has(status) ? 'refused' : 'away';
}

/** The system's name of what happened. The rest of the message may hold anything. */
function causeIn(message: string): string {
  if (message.startsWith('timeout')) return 'timeout';
  return /\bE[A-Z_]{4,}\b/.exec(message)?.[0] ?? 'unknown cause';
}

/** Whole seconds; the header may also be a date, which Fireblocks does not send. */
function secondsIn(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : null;
}
