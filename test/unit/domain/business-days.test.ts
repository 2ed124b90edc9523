import { expect, test } from '@jest/globals';
import { targetHolidays } from '../../../domain/time/business-days.ts';

test('the closing days of a year are those the central bank publishes', () => {
  expect(targetHolidays(2026, 2027)).toEqual([
    '2026-01-01',
    '2026-04-03',
    '2026-04-06',
    '2026-05-01',
    '2026-12-25',
    '2026-12-26',
    '2027-01-01',
    '2027-03-26',
    '2027-03-29',
    '2027-05-01',
    '2027-12-25',
    '2027-12-26',
  ]);
});

test('Easter is right at the ends of its range', () => {
  expect(targetHolidays(2038, 2038)).toContain('2038-04-26'); // the latest there is: Easter on 25 April
  expect(targetHolidays(2008, 2008)).toContain('2008-03-24'); // nearly the earliest: Easter on 23 March
});
