/** When something is told, asked of the rule that sends it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { askSandboxWhen } from '../../../api/platform/sandbox/operations.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';

let world: FrameWorld;
beforeAll(async () => {
  world = await serve([askSandboxWhen]);
});
afterAll(() => world.close());

const NIGHT = { start: '22:00', end: '07:00', time_zone: 'Europe/Berlin' };

test.each([
  ['at once, if nothing is wished', { category: 'service' }, '2026-01-15T22:30:00.000Z'],
  ['after quiet hours', { category: 'money', quiet_hours: NIGHT }, '2026-01-16T06:00:00.000Z'],
  [
    'at once, if quiet hours are off',
    { category: 'money', quiet_hours: { ...NIGHT, enabled: false } },
    '2026-01-15T22:30:00.000Z',
  ],
  [
    'at once, if it concerns a login',
    { category: 'security', quiet_hours: NIGHT, digest: { hour: 8 } },
    '2026-01-15T22:30:00.000Z',
  ],
  ['with the digest', { category: 'service', digest: { hour: 8 } }, '2026-01-16T07:00:00.000Z'],
  [
    'with the digest of a weekday',
    { category: 'service', digest: { hour: 8, weekday: 1 } },
    '2026-01-19T07:00:00.000Z',
  ],
  [
    'after the quiet hours that the digest falls into',
    { category: 'service', digest: { hour: 5 }, quiet_hours: NIGHT },
    '2026-01-16T06:00:00.000Z',
  ],
  [
    'with the digest, also if it lives for less than that',
    { category: 'service', digest: { hour: 8, weekday: 1 }, ttl: 'P3D' },
    '2026-01-19T07:00:00.000Z',
  ],
  ['never, if it is too old by then', { category: 'service', quiet_hours: NIGHT, ttl: 'PT1H' }, null],
])('it is told %s', async (_when, wish, at) => {
  const body = { rule: 'delivery', at: '2026-01-15T22:30:00Z', ...wish };
  expect((await world.call('POST', '/v1/sandbox/when', { body })).body).toEqual({ at });
});

test('a limit period is answered as before', async () => {
  const body = { rule: 'limit_period', at: '2026-03-29T09:30:00Z', period: 'day' };
  expect((await world.call('POST', '/v1/sandbox/when', { body })).body).toEqual({
    ...{ from: '2026-03-28T23:00:00.000Z', until: '2026-03-29T22:00:00.000Z' },
  });
});
