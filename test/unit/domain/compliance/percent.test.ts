/** Percents as forms write them, and how shares are compared and shown. */
import { describe, expect, test } from '@jest/globals';
import { compareShares, formatShare, parsePercent, WHOLE } from '../../../../domain/compliance/percent.ts';

describe('percents', () => {
  test.each([
    ['0', 0n],
    ['100', 1_000_000n],
    ['100.0000', 1_000_000n],
    ['25.5', 255_000n],
    ['0.0001', 1n],
  ])('%s', (text, percent) => {
    expect(parsePercent(text)).toBe(percent);
  });

  test('a share is shown with six places', () => {
    expect(formatShare({ part: 1n, power: 1 }, 'down')).toBe('0.000100');
    expect(formatShare({ part: 1n, power: 2 }, 'down')).toBe('0.000000');
    expect(formatShare({ part: 1n, power: 2 }, 'up')).toBe('0.000001');
  });

  test('shares are compared exactly, whatever their powers are', () => {
    const quarter = { part: WHOLE / 4n, power: 1 };
    expect(compareShares(quarter, { part: WHOLE ** 2n / 4n, power: 2 })).toBe(0);
    expect(compareShares({ part: WHOLE ** 2n / 4n - 1n, power: 2 }, quarter)).toBe(-1);
    expect(compareShares(quarter, { part: WHOLE ** 2n / 4n - 1n, power: 2 })).toBe(1);
  });
});
