/** Starts the parts on their usual ports with data in .data, prints the environment that finds them, and stays. */
import { join } from 'node:path';
import { supervise, stopOnSignals } from './process/supervisor.ts';
import { claimPorts } from './process/ports.ts';
import { startStack } from './stack/stack.ts';

const dataDir = join(import.meta.dirname, '..', '.data');
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const supervision = await supervise(join(dataDir, 'run'));
stopOnSignals(
  async () => {
    await supervision.end();
  },
  () => supervision.abandon(),
);
const spare = await claimPorts();
const stack = await startStack({
  dataDir,
  ports: {
    PORT: 3000,
    POSTGRES_PORT: 5433,
    TEMPORAL_PORT: 7233,
    TEMPORAL_UI_PORT: 8233,
    S3_PORT: 7070,
    SMTP_PORT: 1025,
    INBOX_PORT: 1080,
  },
  persistent: true,
  env: process.env,
  runFolder: supervision.runFolder,
  say,
  nextPort: spare.next,
});
for (const [name, value] of Object.entries(stack.env)) process.stdout.write(`export ${name}='${value}'\n`);
say('The stack is up; Ctrl-C stops it.');
setInterval(() => undefined, 60_000);
