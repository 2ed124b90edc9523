/**
 * What identity documents contain: whether they are what they are said to be, and copies to look at. Decoders have faults and a file can
 * cost any amount of memory, so each file is decoded in a process of its own, which is ended when it takes too much. That process has an
 * empty environment, but the same user id as the service: code that takes it over could read what that user can.
 */
import { fileURLToPath } from 'node:url';
import { DOCUMENT_FAULTS, VIEWING_TYPE, type ContentType, type DocumentFault } from '../domain/uploads.ts';
import { runDecoder } from './documents/child.ts';
import type { Work } from './documents/work.ts';

/** A copy of an image without metadata. */
export interface ViewingCopy {
  readonly content: Buffer;
  readonly contentType: ContentType;
}

/** Each may take hundreds of megabytes; the others wait. */
const MOST_AT_ONCE = 2;

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
    return await runDecoder([PROGRAM, work, type], content);
  } finally {
    const next = waiting.shift();
    // whoever is next takes over the place
    if (next === undefined) busy -= 1;
    else next();
  }
}
