/** MailDev: takes every mail, delivers none, and shows them on a page and over HTTP. */
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { lastLines, startChild, type Child } from '../process/child.ts';
import { answers } from '../process/ports.ts';

export interface InboxOptions {
  readonly folder: string;
  readonly smtpPort: number;
  readonly webPort: number;
  readonly runFolder: string;
  /** SIGKILL where nothing is kept. */
  readonly stopSignal: 'SIGTERM' | 'SIGKILL';
  readonly logFile: string;
}

/** Starts the inbox in a process of its own: what a broken mail does to it must not reach the rest. */
export async function startInbox(options: InboxOptions): Promise<Child> {
  mkdirSync(options.folder, { recursive: true });
  const child = await startChild({
    name: 'Inbox',
    command: process.execPath,
    args: [
      createRequire(import.meta.url).resolve('maildev/bin/maildev'),
      ...['--ip', '127.0.0.1', '--smtp', String(options.smtpPort), '--web', String(options.webPort)],
      ...['--web-ip', '127.0.0.1', '--mail-directory', options.folder],
    ],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    output: { file: options.logFile },
    runFolder: options.runFolder,
    stopSignal: options.stopSignal,
  });
  const ready = [options.smtpPort, options.webPort].map((port) => answers(port, child.hasEnded));
  if ((await Promise.all(ready)).every(Boolean)) return child;
  await child.stop();
  throw new Error(`The inbox did not start; ${options.logFile} ends:\n${lastLines(options.logFile)}`);
}
