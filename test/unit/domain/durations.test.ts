import { expect, test } from '@jest/globals';
import { secondsOf } from '../../../domain/time/durations.ts';

test.each([
  ['PT24H', 86_400],
  ['P1D', 86_400],
  ['P2W', 1_209_600],
  ['P1DT2H3M4S', 93_784],
  ['PT90M', 5_400],
  ['PT0S', 0],
])('%s lasts %d seconds', (text, seconds) => {
  expect(secondsOf(text)).toBe(seconds);
});

test.each([
  '',
  'P',
  'PT',
  'P1DT',
  'P1M',
  'P1Y',
  'P1W2D',
  '-P1D',
  'P1.5D',
  'pt1h',
  ' PT1H',
  'PT1H ',
  '24 hours',
])('"%s" is no duration of a fixed length', (text) => {
  expect(secondsOf(text)).toBeUndefined();
});
