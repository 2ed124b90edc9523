/** Which faults leave it open whether something was committed, so that the card network's message is asked once more. */
import { expect, test } from '@jest/globals';
import { isAway, isUndecided } from '../../../api/pipeline/http/faults.ts';

const coded = (code: string, message = 'fault') => Object.assign(new Error(message), { code });

test.each([
  ['a server that was shut down', coded('57P01'), true],
  ['a connection that was reset', coded('ECONNRESET'), true],
  ['a connection that ended without a code', new Error('Connection terminated unexpectedly'), true],
  ['a broken connection behind other errors', new Error('failed', { cause: coded('08006') }), true],
  ['a server that takes no connection', coded('ECONNREFUSED'), false],
  ['a lock that was not granted', coded('55P03'), false],
  ['a statement that took too long', coded('57014'), false],
  ['too many connections', coded('53300'), false],
])('%s', (_what, error, undecided) => {
  expect(isAway(error)).toBe(true);
  expect(isUndecided(error)).toBe(undecided);
});
