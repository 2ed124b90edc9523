/**
 * OpenTelemetry traces, from the HTTP call through Temporal to SQL. Off unless OTEL_EXPORTER_OTLP_ENDPOINT is set; then
 * only its interface is loaded. A span holds names, ids and durations: no arguments, no parameters, no text of a statement.
 */
import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import type { ClientPlugin } from '@temporalio/client';
import type { BundlerPlugin, WorkerPlugin } from '@temporalio/worker';
import type { Config } from '../config.ts';

export interface Tracing {
  /** For Temporal's client, its worker and the bundle of its workflows: all three, or a trace breaks off between them. */
  readonly plugins: (ClientPlugin & WorkerPlugin & BundlerPlugin)[];
  /** Sends what is still waiting. */
  stop(): Promise<void>;
}

/** Call it before anything connects. `service` is the process: `teller-api`, `teller-worker`. */
export async function startTracing(
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }: Pick<Config, 'OTEL_EXPORTER_OTLP_ENDPOINT'>,
  service: string,
): Promise<Tracing> {
  if (endpoint === undefined) return { plugins: [], stop: () => Promise.resolve() };
  const [{ OTLPTraceExporter }, sdk, { Resource }, hooks, { OpenTelemetryPlugin }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/context-async-hooks'),
    import('@temporalio/interceptors-opentelemetry'),
  ]);
  const resource = new Resource({ 'service.name': service });
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const spanProcessor = new sdk.BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000 });
  // a caller may hand over its trace, but not decide that ours is not recorded
  const provider = new sdk.BasicTracerProvider({
    resource,
    sampler: new sdk.AlwaysOnSampler(),
    spanProcessors: [spanProcessor],
  });
  provider.register({ contextManager: new hooks.AsyncLocalStorageContextManager() });
  await traceStatements();
  return {
    plugins: [new OpenTelemetryPlugin({ resource, spanProcessor })],
    stop: () => provider.shutdown(),
  };
}

/** The `traceparent` (W3C Trace Context) of the active span; null where nothing is traced. */
export function activeTrace(): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** Runs `act` in the trace of a `traceparent`, or in none if that is null, whatever trace is active. */
export function inTrace<T>(traceparent: string | null, act: () => T): T {
  const carrier = traceparent === null ? {} : { traceparent };
  return context.with(propagation.extract(ROOT_CONTEXT, carrier), act);
}

/**
 * Each statement within a span becomes a span, named by its verb and table. Wraps the driver's one method, below MikroORM and
 * plain SQL alike; what polls in the background has no span around it and stays untraced.
 */
async function traceStatements(): Promise<void> {
  const [{ default: pg }, { trace, SpanKind, SpanStatusCode }] = await Promise.all([
    import('pg'),
    import('@opentelemetry/api'),
  ]);
  const tracer = trace.getTracer('teller');
  const original: unknown = Reflect.get(pg.Client.prototype, 'query');
  if (typeof original !== 'function') throw new TypeError('the driver of PostgreSQL has no query');
  const traced = function (this: unknown, ...args: unknown[]): unknown {
    const run = (): unknown => Reflect.apply(original, this, args);
    if (trace.getActiveSpan() === undefined) return run();
    const text = textOf(args[0]);
    const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summaryOf(text) };
    const span = tracer.startSpan(summaryOf(text), { kind: SpanKind.CLIENT, attributes });
    const result = run();
    // called with a callback, or with a stream: its end is not seen here
    if (!(result instanceof Promise)) {
      span.end();
      return result;
    }
    return result.then(
      (rows: unknown) => {
        span.end();
        return rows;
      },
      (error: unknown) => {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
        throw error;
      },
    );
  };
  Reflect.set(pg.Client.prototype, 'query', traced);
}

function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  const text: unknown =
    typeof statement === 'object' && statement !== null ? Reflect.get(statement, 'text') : '';
  return typeof text === 'string' ? text : '';
}

/** `select accounts`, `insert transfers`, `begin`: enough to find the statement, nothing of its values. */
function summaryOf(whole: string): string {
  // of several in one, the first that writes
  const first = /^\s*with\b/i.test(whole)
    ? whole.search(/\b(?:insert\s+into|update\s+\w|delete\s+from)\b/i)
    : 0;
  const statement = whole.slice(Math.max(first, 0));
  const verb = /^\s*(\w+)/.exec(statement)?.[1]?.toLowerCase() ?? 'query';
  const place = {
    select: /\bfrom\s+"?(\w+)/i,
    delete: /\bfrom\s+"?(\w+)/i,
    insert: /\binto\s+"?(\w+)/i,
    update: /^\s*update\s+"?(\w+)/i,
  };
  const table = Object.hasOwn(place, verb)
    ? place[verb as keyof typeof place].exec(statement)?.[1]
    : undefined;
  return table === undefined ? verb : `${verb} ${table}`;
}
