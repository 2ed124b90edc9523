/**
 * `npm test [-- arguments of Jest]`: runs Jest, which has a stack started on free ports if a test needs one, or uses the one that
 * `npm run stack` keeps up. `--inspect` waits for a debugger. The last line says how many tests passed and failed.
 */
import { cpSync, existsSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { claimPorts } from '../../tools/devstack/process/ports.ts';
import { stopOnSignals } from '../../tools/devstack/process/supervisor.ts';
import { ROOT } from '../service/process.ts';
import { serveControl } from './control.ts';
import { runJest, type Verdict } from './jest.ts';
import { keptStack } from './kept-stack.ts';
import { openTestFolder } from './test-folder.ts';
import { createTestStack } from './test-stack.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const { folder, runFolder, supervision } = await openTestFolder();
let stopping = false;
stopOnSignals(stop, supervision.abandon);

let verdict: Verdict = { passed: 0, failed: 1, code: 1 };
try {
  verdict = await runJest(process.argv.slice(2), await controlSocket(), folder, runFolder);
} catch (error) {
  // what ends because it is being stopped is no failure
  if (!stopping) say(error instanceof Error ? error.message : String(error));
}
if (verdict.code !== 0 && !stopping) keepLogs();
await stop();
process.stdout.write(`\n${verdict.passed} passed, ${verdict.failed} failed\n`);
process.exitCode = verdict.code;

/** That of the stack that is kept up, or of one that starts here as soon as a test asks for it. */
async function controlSocket(): Promise<string> {
  const kept = keptStack();
  if (kept !== undefined) {
    say('Using the stack that `npm run stack` keeps up.');
    return kept;
  }
  const stack = createTestStack({ folder, runFolder, ports: await claimPorts(), say });
  return (await serveControl(folder, () => stack.ready())).socket;
}

/** What the service said goes with the folder unless somebody may want to read it; a stack that is kept up keeps its own. */
function keepLogs(): void {
  const other = keptStack();
  if (other !== undefined) say(`What the service and its parts said is in ${join(dirname(other), 'logs')}.`);
  const kept = join(ROOT, '.data', 'test-logs');
  if (!existsSync(join(folder, 'logs'))) return;
  rmSync(kept, { recursive: true, force: true });
  cpSync(join(folder, 'logs'), kept, { recursive: true });
  say(`What the service and its parts said is kept in ${relative(process.cwd(), kept)}/.`);
}

async function stop(): Promise<void> {
  stopping = true;
  await supervision.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
