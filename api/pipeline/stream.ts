/** Step: an answer of any length, written as fast as its reader takes it, and never passed off as whole where it is not. */
import type { ServerResponse } from 'node:http';
import type { MediaType, Streamed } from '../../services/streamed.ts';

/** A reader who takes nothing for so long is gone. */
const STALLED_MILLISECONDS = 30_000;

/** A stream whose first part is there: from here on it can only be sent or broken off. */
export interface Begun extends Streamed {
  readonly format: MediaType;
  readonly first: IteratorResult<string | Buffer, void>;
}

/** How it went: all of it is on its way, the reader went away, or it broke off in the middle. */
export type Ending = 'sent' | 'reader_gone' | 'broken';

/** Asks for the first part, so that what fails before it is still a Problem. */
export async function begin(answer: unknown, format: MediaType): Promise<Begun> {
  if (!isStreamed(answer)) throw new Error('an operation with formats has to answer a stream');
  return { ...answer, format, first: await answer.parts.next() };
}

/** For a stream that nobody is there to read any more. */
export async function discard({ parts }: Begun): Promise<void> {
  await parts.return();
}

/**
 * Writes part after part. Where one fails the connection is cut before the end that HTTP wants, so that no client takes the
 * half for the whole; `failed` is told why. Lets go of the stream in any case.
 */
export async function send(
  { first, parts, readerGone }: Begun,
  response: ServerResponse,
  failed: (error: unknown) => void,
): Promise<Ending> {
  if (readerGone !== undefined) response.once('close', readerGone);
  try {
    for (let next = first; next.done !== true; next = await parts.next()) {
      if (!response.destroyed && !response.write(next.value)) await untilDrained(response);
      if (response.destroyed) return 'reader_gone';
    }
    response.end();
    return 'sent';
  } catch (error) {
    failed(error);
    response.destroy();
    return 'broken';
  } finally {
    await parts.return();
  }
}

function untilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), STALLED_MILLISECONDS);
    const done = (): void => {
      clearTimeout(timer);
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function isStreamed(answer: unknown): answer is Streamed {
  return typeof answer === 'object' && answer !== null && 'parts' in answer && 'filename' in answer;
}
