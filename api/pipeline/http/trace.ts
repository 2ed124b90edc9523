/** Step: a span for each call, named after its operation; the caller's trace goes on where it sends one (W3C Trace Context). */
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Step } from './state.ts';

/** Only in use where traces are sent, see adapters/tracing.ts. */
export const traceCalls: Step = async (ctx, next) => {
  const parent = propagation.extract(context.active(), ctx.req.headers);
  const span = trace.getTracer('teller').startSpan(ctx.method, { kind: SpanKind.SERVER }, parent);
  try {
    await context.with(trace.setSpan(parent, span), next);
  } finally {
    const { operation, requestId } = ctx.state;
    if (operation !== undefined) span.updateName(operation.id);
    span.setAttributes({
      'http.request.method': ctx.method,
      'http.route': operation?.path ?? '',
      'http.response.status_code': ctx.status,
      'teller.request_id': requestId,
    });
    if (ctx.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
};
