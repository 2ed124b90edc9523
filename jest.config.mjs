/** Jest runs the TypeScript as the native modules it is; `dev/test.ts` starts what the tests talk to. */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  // service and parts run beside the tests; more at once would only wait for each other on a small machine
  maxWorkers: 2,
  // a machine that is busy with others takes twice as long
  testTimeout: 120_000,
};
