/** When something is told to whoever wants it in a digest, and what becomes too old to be told. */
import { expect, test } from '@jest/globals';
import { waitFor, type Deciding } from '../../../domain/notifications/sending.ts';
import { fc } from '../../support/property.ts';

const WAITING: Deciding = {
  ...{ channel: 'email', category: 'service', mandatory: false, enabled: true, addressed: false },
  ...{ isUnwanted: false, isStopped: false, status: 'active', digest: 'daily', digestAt: null },
  ...{ digestHour: 8, digestWeekday: null, quietStart: null, quietEnd: null, timeZone: 'Europe/Berlin' },
  expiresAt: new Date('2026-01-16T12:00:00Z'),
};
const TUESDAY = new Date('2026-01-13T12:00:00Z');

test('a digest of each Monday tells what happened on Tuesday, although that lives for three days only', () => {
  expect(waitFor({ ...WAITING, digestWeekday: 1 }, TUESDAY, 'UTC')).toEqual({
    until: new Date('2026-01-19T07:00:00Z'),
    reason: 'digest',
    expiresAt: new Date('2026-01-20T07:00:00Z'),
  });
});

test('what lives longer than its digest is late keeps its time', () => {
  expect(waitFor(WAITING, TUESDAY, 'UTC')).toMatchObject({
    until: new Date('2026-01-14T07:00:00Z'),
    expiresAt: WAITING.expiresAt,
  });
});

test('what only waits for the end of quiet hours becomes too old', () => {
  const quiet = { ...WAITING, digest: 'none', quietStart: '12:00', quietEnd: '20:00' } as const;
  const soon = new Date('2026-01-13T14:00:00Z');
  expect(waitFor({ ...quiet, expiresAt: soon }, TUESDAY, 'UTC')).toMatchObject({ until: null });
  expect(waitFor(quiet, TUESDAY, 'UTC')).toEqual({
    until: new Date('2026-01-13T19:00:00Z'),
    reason: 'quiet_hours',
    expiresAt: quiet.expiresAt,
  });
});

const HOUR = 3_600_000;
const zones = fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kolkata');
const hour = fc.integer({ min: 0, max: 23 });
const wishes = fc
  .record({
    digest: fc.constantFrom('hourly' as const, 'daily' as const),
    digestHour: hour,
    digestWeekday: fc.option(fc.integer({ min: 1, max: 7 })),
    timeZone: zones,
    quiet: fc.option(fc.tuple(hour, hour).filter(([start, end]) => start !== end)),
  })
  .map(({ quiet, ...wish }) => ({
    ...wish,
    quietStart: quiet === null ? null : `${String(quiet[0]).padStart(2, '0')}:00`,
    quietEnd: quiet === null ? null : `${String(quiet[1]).padStart(2, '0')}:00`,
  }));
const moments = fc.date({ min: new Date('2025-01-01'), max: new Date('2028-01-01'), noInvalidDate: true });

test('whatever its time to live, what waits for a digest is told with it, also if its person wants another one meanwhile', () => {
  const lives = fc.integer({ min: 1, max: 30 * 24 }).map((hours) => hours * HOUR);
  fc.assert(
    fc.property(
      moments,
      lives,
      wishes,
      wishes,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (at, life, first, later, share) => {
        const delivery = { ...WAITING, ...first, expiresAt: new Date(at.getTime() + life) };
        const held = waitFor(delivery, at, 'UTC');
        const until = held?.until ?? at;
        expect(held).toMatchObject({ reason: 'digest', until: expect.any(Date) });
        expect(held?.expiresAt.getTime()).toBeGreaterThan(until.getTime());
        const kept = { ...delivery, expiresAt: held?.expiresAt ?? at };
        expect(waitFor({ ...kept, digestAt: until }, until, 'UTC')).toBeNull();
        const change = new Date(at.getTime() + Math.floor(share * (until.getTime() - at.getTime())));
        const anew = waitFor({ ...kept, ...later }, change, 'UTC');
        expect(anew).toMatchObject({ reason: 'digest', until: expect.any(Date) });
        expect(anew?.expiresAt.getTime()).toBeGreaterThan(anew?.until?.getTime() ?? 0);
      },
    ),
    { numRuns: 150 },
  );
});

test('what waited for a digest is told after quiet hours that began since, and does not become too old', () => {
  fc.assert(
    fc.property(moments, wishes, (at, wish) => {
      const due = { ...WAITING, ...wish, digestAt: at, expiresAt: new Date(at.getTime() + 60_000) };
      const wait = waitFor(due, at, 'UTC');
      if (wait === null) return;
      expect(wait).toMatchObject({ reason: 'digest', until: expect.any(Date) });
      expect(wait.expiresAt.getTime()).toBeGreaterThan(wait.until?.getTime() ?? 0);
    }),
    { numRuns: 100 },
  );
});
