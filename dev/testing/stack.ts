/** `npm run stack`: keeps the stack of the tests up, so that `npm test -- FILE` starts with the test. Ctrl-C stops it. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { claimPorts } from '../../tools/devstack/process/ports.ts';
import { stopOnSignals } from '../../tools/devstack/process/supervisor.ts';
import { watchFiles } from '../../tools/devstack/watch.ts';
import { ROOT } from '../service/process.ts';
import { serveControl } from './control.ts';
import { keptStack, noteKeptStack } from './kept-stack.ts';
import { SOURCES } from './sources.ts';
import { openTestFolder } from './test-folder.ts';
import { createTestStack } from './test-stack.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (keptStack() !== undefined) {
  say('The stack of this clone is kept up already; stop it with Ctrl-C in its terminal.');
  process.exit(1);
}
const { folder, runFolder, supervision } = await openTestFolder();
let forget = (): void => undefined;
stopOnSignals(async () => {
  say('\nStopping the stack …');
  forget();
  await supervision.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  say('Stopped. Nothing runs on.');
}, supervision.abandon);

const stack = createTestStack({ folder, runFolder, ports: await claimPorts(), banks: 1, say });
await stack.ready().catch(report);
const control = await serveControl(folder, () => stack.ready());
forget = noteKeptStack(control.socket);
say(`Logs are in ${join(folder, 'logs')}. Run tests with \`npm test -- FILE\`; Ctrl-C stops the stack.`);
// brought up to date at each save, so that the next test need not wait for it; the watch also keeps this process running
watchFiles({
  root: ROOT,
  paths: SOURCES,
  onSaved: () => void stack.ready().catch(report),
  onError: report,
});

function report(error: unknown): void {
  say(
    `${error instanceof Error ? error.message : String(error)}\nThe next save, or the next test, tries again.`,
  );
}
