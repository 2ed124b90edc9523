/** One whole run of tests at a time on a machine: two of them would starve each other and fail by chance. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../tools/devstack/process/lock.mjs';

const LOCK = join(tmpdir(), 'teller-tests.lock');

/** Does the work once no other whole run is under way; a run that died is not waited for. */
export function inTurn<T>(say: (line: string) => void, work: () => Promise<T>): Promise<T> {
  return withLock(
    LOCK,
    (owner: number) => say(`Process ${String(owner)} runs all tests on this machine; waiting for it.`),
    work,
  );
}
