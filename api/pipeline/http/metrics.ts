/** Step: how long each operation takes, for Prometheus; beside it, what the process knows of its database. */
import type { MikroORM } from '@mikro-orm/postgresql';
import { setTimeout as wait } from 'node:timers/promises';
import { Gauge, Histogram, Registry } from 'prom-client';
import { clockDifference } from '../../../db/queries/platform/clock.ts';
import type { Step } from './state.ts';

/** How long a collector waits for the clock of the database. */
const CLOCK_MILLISECONDS = 1_000;

export interface Metrics {
  readonly registry: Registry;
  readonly step: Step;
}

/** A registry of its own for each server, with latency by operation and status, calls in flight and the database pool. */
export function createMetrics(orm: MikroORM): Metrics {
  const registry = new Registry();
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
  watchPool(orm, registry);
  watchClock(orm, registry);
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

function watchPool(orm: MikroORM, registry: Registry): void {
  new Gauge({
    name: 'teller_database_connections',
    help: 'Connections of the pool, and calls that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const pool = await orm.em.getConnection().getNativeClient();
      this.set({ state: 'open' }, pool.totalCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
}

function watchClock(orm: MikroORM, registry: Registry): void {
  new Gauge({
    name: 'teller_clock_difference_seconds',
    help: 'How far the clock of the database is ahead of this process; beyond CLOCK_TOLERANCE_SECONDS nothing is posted.',
    registers: [registry],
    async collect() {
      const read = clockDifference(orm.em.fork()).catch(() => undefined);
      const difference = await Promise.race([read, wait(CLOCK_MILLISECONDS, undefined, { ref: false })]);
      // the other metrics are worth having while the database is away
      if (difference === undefined) this.remove();
      else this.set(difference);
    },
  });
}
