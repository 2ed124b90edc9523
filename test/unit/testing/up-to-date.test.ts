/** The kept stack follows the code, also over saves that do not run. */
import { expect, test } from '@jest/globals';
import { keepUpToDate, type Steps } from '../../../dev/testing/up-to-date.ts';

/** A stack of which every step is written down, and fails while it is named in `broken`. */
function stackOf() {
  const did: string[] = [];
  const broken = new Set<string>();
  const sources = { newest: 1, newestMigration: 1 };
  const step = async <T>(name: string, result: T): Promise<T> => {
    did.push(name);
    if (broken.has(name)) throw new Error(`${name} failed`);
    return result;
  };
  const steps: Steps = {
    sources: () => ({ ...sources }),
    startParts: () => step('parts', { PORT: '1' }),
    prepareSchema: () => step('schema', undefined),
    bundle: () => step('bundle', undefined),
    startService: () =>
      step('service', [{ name: 'api', hasEnded: () => false, stop: () => step('stop', undefined) }]),
    say: () => undefined,
  };
  return { stack: keepUpToDate(steps), did, broken, sources };
}

test('a stack that runs the code of now is not touched', async () => {
  const { stack, did } = stackOf();
  await stack.ready();
  expect(await stack.ready()).toEqual({ PORT: '1' });
  expect(did).toEqual(['parts', 'bundle', 'schema', 'service']);
});

test('a save restarts the service, and migrates only if a migration was saved', async () => {
  const { stack, did, sources } = stackOf();
  await stack.ready();
  did.length = 0;
  sources.newest = 2;
  await stack.ready();
  expect(did).toEqual(['stop', 'bundle', 'service']);
  did.length = 0;
  [sources.newest, sources.newestMigration] = [3, 3];
  await stack.ready();
  expect(did).toEqual(['stop', 'bundle', 'schema', 'service']);
});

test('a service that does not start is tried again on the same parts', async () => {
  const { stack, did, broken, sources } = stackOf();
  await stack.ready();
  did.length = 0;
  broken.add('service');
  sources.newest = 2;
  await expect(stack.ready()).rejects.toThrow('service failed');
  broken.clear();
  sources.newest = 3;
  await stack.ready();
  expect(did).toEqual(['stop', 'bundle', 'service', 'bundle', 'service']);
});

test('parts that did not start are started by the next call', async () => {
  const { stack, did, broken } = stackOf();
  broken.add('parts');
  await expect(stack.ready()).rejects.toThrow('parts failed');
  broken.clear();
  await stack.ready();
  expect(did).toEqual(['parts', 'parts', 'bundle', 'schema', 'service']);
});
