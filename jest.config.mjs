/**
 * The tests in layers, a folder each: `unit` needs nothing; `adapters`, `db`, `workflows` and `api` share one stack, which the first
 * of them has started; `alone` kills processes of its own on copies of the database, where money rests on it, and `faults` elsewhere;
 * `after` asks what all the others have run. `dev/testing/groups.ts` says which of them run when.
 */
const everywhere = {
  testEnvironment: '<rootDir>/dev/testing/native/environment.ts',
  runtime: '<rootDir>/dev/testing/native/runtime.ts',
  // the crawl of Jest would otherwise read node_modules and the data of the service
  roots: ['<rootDir>/test'],
  setupFiles: ['<rootDir>/test/support/assets.ts'],
  // Node strips the types itself
  transform: {},
};

const layer = (name, more = {}) => ({
  ...everywhere,
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  ...more,
});
const onStack = { globalSetup: '<rootDir>/dev/testing/join-stack.mjs' };

export default {
  projects: [
    layer('unit'),
    ...['adapters', 'db', 'workflows', 'api', 'alone', 'faults', 'after'].map((name) => layer(name, onStack)),
  ],
  // API, worker and parts run beside the tests and mostly wait for them, so a core each is not too much
  maxWorkers: '100%',
  // a worker keeps the modules of every file it has run; with more than a gigabyte of them the system needs longer to take its memory
  // back than the half second that Jest waits before it says that the worker "failed to exit gracefully"; and with a limit a lone file
  // runs in a worker too, where what it does to its process does not reach Jest
  workerIdleMemoryLimit: '700MB',
  // longer than anything in a test waits, so that it is what was waited for that is told
  testTimeout: 300_000 * Number(process.env['TEST_PATIENCE'] ?? 1),
};
