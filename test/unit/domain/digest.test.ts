/** A digest comes once a day at its hour, on the days on which clocks are changed too. */
import { expect, test } from '@jest/globals';
import { digestOf, nextDigest, type DigestTime } from '../../../domain/notifications/digest.ts';
import { fc } from '../../support/property.ts';

const BERLIN = { kind: 'daily', hour: 8, weekday: null, zone: 'Europe/Berlin' } as const;
const next = (after: string, when: Partial<DigestTime> = {}): string =>
  nextDigest(new Date(after), { ...BERLIN, ...when }).toISOString();

test.each<[string, string, Partial<DigestTime>, string]>([
  ['the same day', '2026-01-15T06:00:00Z', {}, '2026-01-15T07:00:00.000Z'],
  ['the next day, at the very hour', '2026-01-15T07:00:00Z', {}, '2026-01-16T07:00:00.000Z'],
  ['the next day', '2026-01-15T12:00:00Z', {}, '2026-01-16T07:00:00.000Z'],
  ['on its weekday', '2026-01-15T12:00:00Z', { weekday: 1 }, '2026-01-19T07:00:00.000Z'],
  [
    'a week later, if its weekday is over',
    '2026-01-19T12:00:00Z',
    { weekday: 1 },
    '2026-01-26T07:00:00.000Z',
  ],
  ['at midnight', '2026-01-15T12:00:00Z', { hour: 0 }, '2026-01-15T23:00:00.000Z'],
  ['after the hour that clocks skip', '2026-03-28T12:00:00Z', { hour: 2 }, '2026-03-29T01:00:00.000Z'],
  ['in the first of two equal hours', '2026-10-24T12:00:00Z', { hour: 2 }, '2026-10-25T00:00:00.000Z'],
  [
    'the next day after the first of two equal hours',
    '2026-10-25T00:00:00Z',
    { hour: 2 },
    '2026-10-26T01:00:00.000Z',
  ],
  ['at the next full hour', '2026-01-15T12:07:30Z', { kind: 'hourly' }, '2026-01-15T13:00:00.000Z'],
  [
    'at the full hour of local clocks',
    '2026-01-15T12:07:30Z',
    { kind: 'hourly', zone: 'Asia/Kathmandu' },
    '2026-01-15T12:15:00.000Z',
  ],
])('%s', (_what, after, when, expected) => {
  expect(next(after, when)).toBe(expected);
});

test('whatever the zone and the hour: a digest a day, and never two', () => {
  const zones = fc.constantFrom(
    'Europe/Berlin',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
    'America/Sao_Paulo',
  );
  const moments = fc.date({ min: new Date('2025-01-01'), max: new Date('2028-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(moments, fc.integer({ min: 0, max: 23 }), zones, (moment, hour, zone) => {
      const first = nextDigest(moment, { ...BERLIN, hour, zone });
      const second = nextDigest(first, { ...BERLIN, hour, zone });
      const hours = (second.getTime() - first.getTime()) / 3_600_000;
      expect(first.getTime()).toBeGreaterThan(moment.getTime());
      expect(hours).toBeGreaterThanOrEqual(22);
      expect(hours).toBeLessThanOrEqual(26);
    }),
    { numRuns: 60 },
  );
});

test('a digest says everything in order', () => {
  const parts = [
    { subject: 'One', body: 'First.\n' },
    { subject: null, body: 'Second.' },
  ];
  expect(digestOf(parts, 'en')).toEqual({
    subject: '2 messages of your bank',
    body: 'One\nFirst.\n\nSecond.\n',
  });
});
