/** The temporary folder of one test run or kept stack: goes with its process, however that ends. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recoverUnder } from '../../tools/devstack/process/run-folder.ts';
import { supervise, type Supervision } from '../../tools/devstack/process/supervisor.ts';

const PREFIX = 'teller-test-';

export interface TestFolder {
  readonly folder: string;
  /** Where every process is written down that must not outlive the folder. */
  readonly runFolder: string;
  readonly supervision: Supervision;
}

/** Makes the folder, after stopping and removing what dead runs have left. */
export async function openTestFolder(): Promise<TestFolder> {
  await removeLeftOvers();
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  // PostgreSQL runs as another user if this process is root
  chmodSync(folder, 0o711);
  const supervision = await supervise(join(folder, 'run'), [folder]);
  return { folder, runFolder: supervision.runFolder, supervision };
}

/** Runs that were killed together with their reaper (a reboot, an OOM) leave folders and perhaps processes. */
async function removeLeftOvers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const old = join(tmpdir(), name);
    if (!name.startsWith(PREFIX) || !statSync(old, { throwIfNoEntry: false })?.isDirectory()) continue;
    const run = join(old, 'run');
    await recoverUnder(run);
    const young = Date.now() - (statSync(old, { throwIfNoEntry: false })?.mtimeMs ?? 0) < 60_000;
    if (!young && readdirSync(existsSync(run) ? run : old).length === 0)
      rmSync(old, { recursive: true, force: true });
  }
}
