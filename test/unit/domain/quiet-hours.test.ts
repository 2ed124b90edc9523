/** Quiet hours end once, on the days on which clocks are changed too. */
import { expect, test } from '@jest/globals';
import { quietUntil } from '../../../domain/notifications/quiet-hours.ts';
import { reasonNotToSend, retrySeconds, waitFor } from '../../../domain/notifications/sending.ts';
import { fc } from '../../support/property.ts';

const at = (moment: string, start: string, end: string, zone = 'Europe/Berlin'): string | null =>
  quietUntil(new Date(moment), { start, end, zone })?.toISOString() ?? null;

test.each([
  ['in the evening', '2026-01-15T22:30:00Z', '22:00', '07:00', '2026-01-16T06:00:00.000Z'],
  ['after midnight', '2026-01-15T23:30:00Z', '22:00', '07:00', '2026-01-16T06:00:00.000Z'],
  ['at the very start', '2026-01-15T21:00:00Z', '22:00', '07:00', '2026-01-16T06:00:00.000Z'],
  ['at the very end', '2026-01-16T06:00:00Z', '22:00', '07:00', null],
  ['in the afternoon', '2026-01-15T13:00:00Z', '22:00', '07:00', null],
  ['at noon, within a day', '2026-01-15T11:30:00Z', '12:00', '14:00', '2026-01-15T13:00:00.000Z'],
  ['before clocks go forward', '2026-03-28T22:00:00Z', '22:00', '07:00', '2026-03-29T05:00:00.000Z'],
  ['before clocks go back', '2026-10-24T21:00:00Z', '22:00', '07:00', '2026-10-25T06:00:00.000Z'],
  ['to a time that clocks skip', '2026-03-29T00:30:00Z', '22:00', '02:30', '2026-03-29T01:00:00.000Z'],
  ['to a time that clocks show twice', '2026-10-24T23:00:00Z', '22:00', '02:30', '2026-10-25T00:30:00.000Z'],
])('quiet %s', (_when, moment, start, end, until) => {
  expect(at(moment, start, end)).toBe(until);
});

test('another zone has other quiet hours at the same moment', () => {
  expect(at('2026-01-15T22:30:00Z', '22:00', '07:00', 'America/New_York')).toBeNull();
  expect(at('2026-01-15T22:30:00Z', '22:00', '07:00', 'Asia/Kathmandu')).toBe('2026-01-16T01:15:00.000Z');
});

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));

test('whatever the zone, the day and the hours: at their end it is not quiet, and a minute before it still is', () => {
  const zones = fc.constantFrom(
    'Europe/Berlin',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
    'UTC',
    'America/Sao_Paulo',
  );
  const moments = fc.date({ min: new Date('2025-01-01'), max: new Date('2028-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(moments, time, time, zones, (moment, start, end, zone) => {
      fc.pre(start !== end);
      const until = quietUntil(moment, { start, end, zone });
      if (until === null) return;
      expect(until.getTime()).toBeGreaterThan(moment.getTime() - 60_000);
      expect(until.getTime() - moment.getTime()).toBeLessThanOrEqual(26 * 3_600_000);
      expect(quietUntil(until, { start, end, zone })).toBeNull();
      expect(quietUntil(new Date(until.getTime() - 60_000), { start, end, zone })).not.toBeNull();
    }),
    { numRuns: 300 },
  );
});

const wanted = {
  ...({ channel: 'email', category: 'service', mandatory: false, enabled: true, addressed: false } as const),
  ...{
    isUnwanted: false,
    isStopped: false,
    status: 'active',
    quietStart: null,
    quietEnd: null,
    timeZone: null,
  },
  ...({ digest: 'none', digestAt: null, digestHour: null, digestWeekday: null } as const),
  expiresAt: new Date('2026-01-20T00:00:00Z'),
};

test.each([
  [{}, null],
  [{ enabled: false }, 'type_disabled'],
  [{ isStopped: true }, 'stopped'],
  [{ isUnwanted: true }, 'preference'],
  [{ isUnwanted: true, addressed: true }, null],
  [{ status: 'blocked' }, 'blocked'],
  [{ status: 'blocked', category: 'security' }, null],
  [{ status: 'blocked', channel: 'in_app' }, null],
] as const)('a delivery that is %j is kept back because of %s', (more, reason) => {
  expect(reasonNotToSend({ ...wanted, ...more }, 'a@b.test')).toBe(reason);
});

test('without an address nothing is sent', () => {
  expect(reasonNotToSend(wanted, null)).toBe('no_address');
});

test('mandatory types and the feed do not wait for the end of quiet hours', () => {
  const quiet = { ...wanted, quietStart: '00:00:00', quietEnd: '23:59:00', timeZone: 'UTC' };
  const now = new Date('2026-01-15T12:00:00Z');
  expect(waitFor(quiet, now, 'UTC')).toEqual({
    ...{ until: new Date('2026-01-15T23:59:00Z'), reason: 'quiet_hours', expiresAt: wanted.expiresAt },
  });
  expect(waitFor({ ...quiet, mandatory: true }, now, 'UTC')).toBeNull();
  expect(waitFor({ ...quiet, channel: 'in_app' }, now, 'UTC')).toBeNull();
});

test('a failed delivery is tried more and more rarely, at least every quarter of an hour', () => {
  expect([1, 2, 3, 10, 40].map(retrySeconds)).toEqual([1, 2, 4, 512, 900]);
});
