/** The process that decodes one document, and whose fault it is if it ends without an answer. */
import { execFile, type ExecFileException } from 'node:child_process';
import { NOT_READABLE } from './work.ts';

/** An honest file takes well under a second. */
const MOST_MILLISECONDS = 10_000;
const MOST_ANSWERED = 32 * 1024 * 1024;
/** V8 ends by SIGTRAP when it gives up, on x64. */
const CRASHES: readonly NodeJS.Signals[] = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP'];

/** Runs Node with these arguments. Throws if the process could not do its work: then the file may be tried again. */
export function runDecoder(
  args: readonly string[],
  content: Buffer,
  timeout = MOST_MILLISECONDS,
): Promise<Buffer | 'not_readable'> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | 'not_readable'>();
  const child = execFile(
    process.execPath,
    args,
    { encoding: 'buffer', env: {}, timeout, killSignal: 'SIGKILL', maxBuffer: MOST_ANSWERED },
    (error, answer, complaint) => {
      if (error === null) resolve(answer);
      else if (isOfContent(error)) resolve('not_readable');
      else
        reject(
          new Error(`documents cannot be decoded: ${complaint.toString().slice(0, 2_000)}`, { cause: error }),
        );
    },
  );
  // a process that ends early takes no more
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(content);
  return promise;
}

/** Whether the file would end the next process in the same way. A shutdown, or a system without memory, says nothing of it. */
function isOfContent({ code, signal, killed }: ExecFileException): boolean {
  return code === NOT_READABLE || killed === true || CRASHES.some((crash) => crash === signal);
}
