/** What the process that decodes a document is asked for, and how it ends. */
export type Work = 'examine' | 'copy';

/** Its exit code if the document cannot be decoded, or takes more than any honest one needs. */
export const NOT_READABLE = 100;
