/** PDF: whether anybody can read it, and whether it only shows something. */
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { DOCUMENT_FAULTS, type DocumentFault } from '../../domain/uploads.ts';

const Verdict = z.enum(DOCUMENT_FAULTS).nullable();

/** In a thread, so that the memory it takes can be watched meanwhile. */
export function examinePdf(content: Buffer): Promise<DocumentFault | undefined> {
  const thread = new Worker(new URL('pdf-thread.ts', import.meta.url), { workerData: content });
  const { promise, resolve, reject } = Promise.withResolvers<DocumentFault | undefined>();
  thread.on('message', (said) => resolve(Verdict.parse(said) ?? undefined));
  thread.on('error', (error) => (isOutOfMemory(error) ? resolve('not_readable') : reject(error)));
  return promise;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
