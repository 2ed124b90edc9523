/** Lets the Temporal SDK download a server into a folder: `node sdk-download.ts dev-server|time-skipping <folder>`. */
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [server, downloadDir] = process.argv.slice(2);
if (downloadDir === undefined) throw new Error('sdk-download.ts needs a folder');
const options = { server: { executable: { type: 'cached-download', downloadDir } } } as const;
// the SDK offers no download alone: it starts what it has downloaded
const environment = await (server === 'time-skipping'
  ? TestWorkflowEnvironment.createTimeSkipping(options)
  : TestWorkflowEnvironment.createLocal(options));
await environment.teardown();
