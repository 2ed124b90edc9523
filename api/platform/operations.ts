/** Is the service alive, and can it do its work. */
import { askDatabase } from '../../db/queries/platform/health.ts';
import { forAnybody } from '../declaration/operation.ts';
import * as wire from './schemas.ts';

const CHECK_MILLISECONDS = 1_500;

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
    'Answers if database, Temporal and object store can be reached, otherwise 503 with `checks`, which names the part that is down. A load balancer takes a replica out while this is refused.',
  method: 'GET',
  path: '/ready',
  effect: 'read',
  status: 200,
  answer: wire.ReadyResponse,
  refuses: [],
  beyond: true,
  async handle({ db, refusal }, { temporal, storage }) {
    const [database, orchestration, store] = await Promise.all([
      check(() => askDatabase.one(db)),
      check(() => temporal.ping()),
      check(() => storage.ready()),
    ]);
    const checks = { database, temporal: orchestration, storage: store };
    if (Object.values(checks).includes('down')) throw refusal('unavailable', { members: { checks } });
    return { status: 'ok' as const, checks };
  },
});

/** Fast in every case: a probe that hangs is worse than one that fails. */
async function check(ask: () => Promise<unknown>): Promise<'ok' | 'down'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'down'>((resolve) => {
    timer = setTimeout(resolve, CHECK_MILLISECONDS, 'down');
  });
  const asked = ask().then(
    () => 'ok' as const,
    () => 'down' as const,
  );
  const answer = await Promise.race([asked, late]);
  clearTimeout(timer);
  return answer;
}

/** In the order of the documentation. */
export const operations = [health, healthOfVersion, ready];
