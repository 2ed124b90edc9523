/**
 * What identity documents contain: whether they are what they are said to be, and copies to look at. Decoders have faults and a file can
 * cost any amount of memory, so each file is decoded in a process of its own, which knows no secrets and is ended when it takes too much.
 */
import { execFile, type ExecFileException } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DOCUMENT_FAULTS, VIEWING_TYPE, type ContentType, type DocumentFault } from '../domain/uploads.ts';
import { NOT_READABLE, type Work } from './documents/work.ts';

/** A copy of an image without metadata. */
export interface ViewingCopy {
  readonly content: Buffer;
  readonly contentType: ContentType;
}

/** An honest file takes well under a second. */
const MOST_MILLISECONDS = 10_000;
/** Each may take hundreds of megabytes; the others wait. */
const MOST_AT_ONCE = 2;
const MOST_ANSWERED = 32 * 1024 * 1024;

const PROGRAM = fileURLToPath(new URL('documents/process.ts', import.meta.url));
const waiting: (() => void)[] = [];
let busy = 0;

/** Decodes a document whole, as its type says. Undefined if nothing is wrong with it. */
export async function examineDocument(
  content: Buffer,
  type: ContentType,
): Promise<DocumentFault | undefined> {
  if (type === 'text/plain') return 'not_readable';
  const answer = await decoded('examine', content, type);
  if (answer === 'not_readable') return answer;
  const said = answer.toString();
  if (said === 'right') return undefined;
  const fault = DOCUMENT_FAULTS.find((known) => known === said);
  if (fault === undefined) throw new Error('the process that decodes documents said nothing');
  return fault;
}

/** What people see instead of an image that was examined; undefined for PDF, which is seen as it is. */
export async function viewingCopy(
  content: Buffer,
  type: ContentType,
): Promise<ViewingCopy | 'not_readable' | undefined> {
  if (type === 'application/pdf' || type === 'text/plain') return undefined;
  const answer = await decoded('copy', content, type);
  return answer === 'not_readable' ? answer : { content: answer, contentType: VIEWING_TYPE };
}

async function decoded(work: Work, content: Buffer, type: ContentType): Promise<Buffer | 'not_readable'> {
  if (busy === MOST_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else busy += 1;
  try {
    return await run(work, content, type);
  } finally {
    const next = waiting.shift();
    // whoever is next takes over the place
    if (next === undefined) busy -= 1;
    else next();
  }
}

/** Not readable also if the process was killed, or has crashed: it would again. Throws if the process could not do its work. */
function run(work: Work, content: Buffer, type: ContentType): Promise<Buffer | 'not_readable'> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | 'not_readable'>();
  const child = execFile(
    process.execPath,
    [PROGRAM, work, type],
    {
      encoding: 'buffer',
      env: {},
      timeout: MOST_MILLISECONDS,
      killSignal: 'SIGKILL',
      maxBuffer: MOST_ANSWERED,
    },
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

function isOfContent({ code, signal }: ExecFileException): boolean {
  return code === NOT_READABLE || signal != null;
}
