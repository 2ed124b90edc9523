/** The one place where something thrown becomes an answer: RFC 9457 Problem, from the table of refusals and nothing else. */
import type { Step } from './state.ts';
import type { Logger } from 'pino';
import { isClockFault, isNotAllowed } from '../../../db/sql-state.ts';
import { refusalsGiven } from '../../../adapters/metrics.ts';
import { UnknownAsset } from '../../../domain/assets.ts';
import { isRefusal, Refusal, refusals } from '../../../domain/refusals.ts';
import { INVALID_TOKEN } from '../authenticate.ts';
import { isAway, isRetryable } from './faults.ts';

const RETRY_SECONDS = 2;

/** RFC 9470 §3: which authentication is wanted, and how fresh. */
const INSUFFICIENT = 'Bearer error="insufficient_user_authentication"';

/** Answers each error of the inner steps as Problem. What is not a refusal is a fault of ours: logged, and answered without content. */
export function problems(deps: { log: Logger; publicUrl: string }): Step {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = asRefusal(error);
      refusalsGiven.inc({ code: refusal.code });
      if (refusal.code === 'internal_error')
        deps.log.error({ err: error, requestId: ctx.state.requestId }, 'an operation failed');
      else if (!isRefusal(error))
        deps.log.warn({ err: error, requestId: ctx.state.requestId }, 'a part did not answer');
      if (isClockFault(error))
        deps.log.error(
          { alert: 'clock_jumped', err: error, requestId: ctx.state.requestId },
          'nothing was posted, because a clock is wrong',
        );
      const { status, title, cause } = refusals[refusal.code];
      const { detail, errors, members } = refusal.options;
      for (const [name, value] of Object.entries(headersOf(refusal))) ctx.set(name, value);
      ctx.status = status;
      ctx.state.refused = refusal.code;
      ctx.body = JSON.stringify({
        ...members,
        type: problemType(deps.publicUrl, refusal.code),
        title,
        status,
        detail: detail ?? cause,
        instance: ctx.path.slice(0, 300),
        code: refusal.code,
        request_id: ctx.state.requestId,
        ...(errors === undefined ? {} : { errors }),
      });
      ctx.set('Content-Type', 'application/problem+json');
    }
  };
}

/** The documentation of a code; served by the docs page. */
export function problemType(publicUrl: string, code: string): string {
  return `${publicUrl}/docs/errors#${code}`;
}

function asRefusal(error: unknown): Refusal {
  if (isRefusal(error)) return error;
  // the right was taken in the moment between the check and the write
  if (isNotAllowed(error)) return new Refusal('forbidden');
  // the table of assets is read as soon as the database answers
  return isAway(error) || isRetryable(error) || error instanceof UnknownAsset
    ? new Refusal('unavailable', { retryAfter: RETRY_SECONDS })
    : new Refusal('internal_error');
}

function headersOf({ code, options }: Refusal): Record<string, string> {
  const retry = options.retryAfter ?? (code === 'unavailable' ? RETRY_SECONDS : undefined);
  return {
    ...(retry === undefined ? {} : { 'Retry-After': String(retry) }),
    ...(refusals[code].status === 401 ? { 'WWW-Authenticate': challengeOf(code, options) } : {}),
  };
}

function challengeOf(code: string, { detail, members }: Refusal['options']): string {
  const maxAge = members?.['max_age'];
  if (code === 'step_up_required')
    return typeof maxAge === 'number'
      ? `${INSUFFICIENT}, max_age="${maxAge}"`
      : `${INSUFFICIENT}, acr_values="step-up", max_age="300"`;
  return detail === INVALID_TOKEN ? 'Bearer error="invalid_token"' : 'Bearer';
}
