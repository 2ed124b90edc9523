/** Is the service alive, and can it do its work. */
import { forAnybody } from '../declaration/operation.ts';
import * as wire from './schemas.ts';

export const health = forAnybody({
  id: 'health',
  area: 'Identity',
  title: 'Platform liveness probe',
  description:
    'Answers while the process runs. It does not check the parts that the service needs: see `GET /ready`.',
  method: 'GET',
  path: '/health',
  effect: 'read',
  status: 200,
  answer: wire.HealthResponse,
  refuses: [],
  handle: () => Promise.resolve({ status: 'ok' as const }),
});

export const healthOfVersion = forAnybody({
  id: 'healthOfVersion',
  area: 'Identity',
  title: 'Platform liveness probe (second entry)',
  description: 'The same as `GET /health`, under the prefix of the version.',
  method: 'GET',
  path: '/v1/health',
  effect: 'read',
  status: 200,
  answer: wire.HealthResponse,
  refuses: [],
  handle: () => Promise.resolve({ status: 'ok' as const }),
});

export const ready = forAnybody({
  id: 'ready',
  area: 'Identity',
  title: 'Platform readiness probe',
  description:
    'Says in `checks` which parts answer. 200 while this replica can serve most calls: without Temporal, object store or mail it reads, books and accepts decisions, and `status` is `degraded`. 503 while the database is away or the replica is stopping: a load balancer takes it out.',
  method: 'GET',
  path: '/ready',
  effect: 'read',
  status: 200,
  answer: wire.ReadyResponse,
  refuses: [],
  beyond: true,
  async handle({ refusal }, { readiness }) {
    const checks = await readiness.look();
    const stopping = readiness.isStopping();
    if (stopping || checks.database === 'down')
      throw refusal('unavailable', { members: { checks, stopping } });
    const isWhole = Object.values(checks).every((check) => check === 'ok');
    return { status: isWhole ? ('ok' as const) : ('degraded' as const), checks };
  },
});

/** In the order of the documentation. */
export const operations = [health, healthOfVersion, ready];
