/** `npm run stack`: keeps the stack of the tests up, so that `npm test -- FILE` starts with the test. Ctrl-C stops it. */
import { rmSync } from 'node:fs';
import { relative, join } from 'node:path';
import { claimPorts } from '../../tools/devstack/process/ports.ts';
import { stopOnSignals } from '../../tools/devstack/process/supervisor.ts';
import { serveControl } from './control.ts';
import { keptStack, noteKeptStack } from './kept-stack.ts';
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
  say('\nStopping …');
  forget();
  await supervision.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}, supervision.abandon);

const stack = createTestStack({ folder, runFolder, ports: await claimPorts(), say });
await stack.ready();
const control = await serveControl(folder, () => stack.ready());
forget = noteKeptStack(control.socket);
say(
  `Logs are in ${relative(process.cwd(), join(folder, 'logs'))}. Run tests with \`npm test -- FILE\`; Ctrl-C stops the stack.`,
);
// the processes of the stack are children that this process watches over
setInterval(() => undefined, 60_000);
