/** Step: how long each operation takes, for Prometheus. */
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Step } from './state.ts';

export interface Metrics {
  readonly registry: Registry;
  readonly step: Step;
}

/** Adds latency by operation and status, and the calls in flight, to the metrics of the process. */
export function createMetrics(registry: Registry): Metrics {
  const latency = new Histogram({
    name: 'teller_operation_seconds',
    help: 'Time to answer, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 25],
    registers: [registry],
  });
  const inFlight = new Gauge({
    name: 'teller_operations_in_flight',
    help: 'Calls being answered now.',
    registers: [registry],
  });
  return {
    registry,
    step: async (ctx, next) => {
      const end = latency.startTimer();
      inFlight.inc();
      try {
        await next();
      } finally {
        inFlight.dec();
        // a made-up path is no label: it would let anybody grow the registry
        end({ operation: ctx.state.operation?.id ?? 'none', status: String(ctx.status) });
      }
    },
  };
}
