/** Answers of any length. */

/** The media types that a streamed answer can have. */
export const MEDIA_TYPES = [
  'application/json',
  'text/csv',
  'application/pdf',
  'application/xml',
  'text/event-stream',
] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** An answer of any length, written while it is read. */
export interface Streamed {
  /**
   * The parts of the body. The frame asks for the first at once: what is thrown until then is answered as a Problem, after it
   * the connection breaks. Its `return` is always called, also where the client has gone: there it lets go of what it holds.
   */
  readonly parts: AsyncGenerator<string | Buffer, void, undefined>;
  /** The name that the answer has as a file; null if nobody keeps it as one. */
  readonly filename: string | null;
  /** Called once the reader has gone, which a stream that waits for news would not notice. */
  readonly readerGone?: () => void;
}
