/** RFC 6238: the vectors of appendix B, and the window. */
import { describe, expect, test } from '@jest/globals';
import { generateSync, NobleCryptoPlugin, ScureBase32Plugin } from 'otplib';
import { totpStep } from '../../../services/identity/factors/totp.ts';

const bytes = Buffer.from('12345678901234567890');
const secret = new ScureBase32Plugin().encode(bytes, { padding: false });

describe('appendix B, SHA-1', () => {
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at %d the code is %s, of which an authenticator shows the last six digits', (seconds, eight) => {
    const crypto = new NobleCryptoPlugin();
    expect(generateSync({ secret, epoch: seconds, digits: 8, crypto })).toBe(eight);
    expect(totpStep(secret, eight.slice(2), seconds)).toBe(Math.floor(seconds / 30));
  });
});

describe('the window', () => {
  const now = 1_700_000_015;
  const step = Math.floor(now / 30);
  const codeAt = (steps: number): string => generateSync({ secret, epoch: (step + steps) * 30 });

  test('holds the present step and the one before, and names which', () => {
    expect([totpStep(secret, codeAt(0), now), totpStep(secret, codeAt(-1), now)]).toEqual([step, step - 1]);
  });

  test.each([1, 2, -2, -3])('does not hold the step %d away', (steps) => {
    expect(totpStep(secret, codeAt(steps), now)).toBeNull();
  });

  test.each(['', '12345', '1234567', 'abcdef', '１２３４５６', '12 345'])('%j is no code', (code) => {
    expect(totpStep(secret, code, now)).toBeNull();
  });
});
