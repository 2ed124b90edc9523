/**
 * Watches one supervisor through the pipe on its standard input: the pipe closes when the supervisor ends, however
 * it ends. Then stops what is still written down in the run folder, and removes the folders it was told to.
 * `node reaper.ts <run folder> [folders to remove]`
 */
import { rmSync } from 'node:fs';
import { stopAllIn } from './run-folder.ts';

const [runFolder, ...temporary] = process.argv.slice(2);
if (runFolder === undefined) throw new Error('reaper.ts needs the run folder');

// a Ctrl-C in the terminal is for the supervisor, which may need longer than this process would live
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

process.stdin.resume();
process.stdin.on('error', () => undefined);
process.stdin.on('close', () => void clearUp(runFolder));

async function clearUp(folder: string): Promise<void> {
  await stopAllIn(folder);
  for (const path of [folder, ...temporary]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}
