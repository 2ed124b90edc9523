/** Documents are decoded in processes of their own: what comes back from them, and what it costs when a file is hostile. */
import { describe, expect, test } from '@jest/globals';
import { deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { examineDocument, viewingCopy } from '../../../adapters/document-content.ts';
import { runDecoder } from '../../../adapters/documents/child.ts';
import type { ContentType } from '../../../domain/uploads.ts';
import { files } from '../../support/formats/files.ts';
import { pdf, stream } from '../../support/formats/pdfs.ts';

const examine = (content: Buffer) => examineDocument(content, 'application/pdf');

const image = (): Sharp => sharp({ create: { width: 900, height: 700, channels: 3, background: 'grey' } });
const IMAGES: readonly (readonly [ContentType, (image: Sharp) => Sharp])[] = [
  ['image/jpeg', (drawn) => drawn.jpeg()],
  ['image/png', (drawn) => drawn.png()],
  ['image/webp', (drawn) => drawn.webp()],
];

describe.each(IMAGES)('%s', (type, encode) => {
  test('is accepted and has a copy that is a JPEG; a damaged one is neither accepted nor copied', async () => {
    const content = await encode(image()).toBuffer();
    expect(await examineDocument(content, type)).toBeUndefined();
    const copy = await viewingCopy(content, type);
    expect(copy).toMatchObject({ contentType: 'image/jpeg' });
    if (copy === undefined || copy === 'not_readable') throw new Error('there is no copy');
    expect(await sharp(copy.content).metadata()).toMatchObject({ format: 'jpeg', width: 900, height: 700 });

    const damaged = content.subarray(0, 200);
    expect(await examineDocument(damaged, type)).toBe('not_readable');
    expect(await viewingCopy(damaged, type)).toBe('not_readable');
  });
});

test('an image that is too small is told apart from one that cannot be read', async () => {
  expect(await examineDocument(files.png, 'image/png')).toBe('too_small');
});

test('a PDF is accepted, or refused for what is wrong with it', async () => {
  expect(await examine(pdf())).toBeUndefined();
  expect(await examine(pdf({ catalog: '/OpenAction<</S/JavaScript/JS(x)>>' }))).toBe('has_scripts');
  expect(await examine(Buffer.from('A passport.'))).toBe('not_readable');
});

test('a PDF is seen as it is', async () => {
  expect(await viewingCopy(files.pdf, 'application/pdf')).toBeUndefined();
});

test('a text is no document', async () => {
  expect(await examineDocument(Buffer.from('A passport.'), 'text/plain')).toBe('not_readable');
});

test('a file that takes more memory than there is ends its own process, and the next one is looked at', async () => {
  const claimed = 40_000_000;
  const head = pdf().subarray(0, pdf().indexOf('xref'));
  const entries = `/Type/XRef/Root 1 0 R/W[0 1 0]/Size ${String(claimed)}/Filter/FlateDecode`;
  const table = stream(entries, deflateSync(Buffer.alloc(claimed)));
  const end = Buffer.from(`startxref\n${String(head.length)}\n%%EOF\n`);
  expect(await examine(Buffer.concat([head, table, end]))).toBe('not_readable');
  expect(await examine(pdf())).toBeUndefined();
});

test('many documents at once each get their own answer', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => examine(pdf({ pages: index % 2 === 0 ? 1 : 0 }))),
  );
  expect(answers).toEqual(
    Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? undefined : 'not_readable')),
  );
});

/** A process that ends as this script says, and not later than after so many milliseconds. */
const ends = (script: string, milliseconds?: number) =>
  runDecoder(['--eval', script], Buffer.from('a document'), milliseconds);
const HANGS = 'setInterval(() => undefined, 1_000)';
const raised = (signal: string): string => `process.kill(process.pid, '${signal}'); ${HANGS}`;

describe('a file is not readable', () => {
  test('if its process takes longer than it may', async () => {
    expect(await ends(HANGS, 300)).toBe('not_readable');
  });

  test.each(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP'])(
    'if its process crashes by %s',
    async (signal) => {
      expect(await ends(raised(signal))).toBe('not_readable');
    },
  );

  test('if Node runs out of memory or gives up at it', async () => {
    expect(await ends('process.abort()')).toBe('not_readable');
    expect(await runDecoder(['--allow-natives-syntax', '--eval', '%AbortJS("")'], Buffer.alloc(0))).toBe(
      'not_readable',
    );
  });
});

describe('nothing is said of a file', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGKILL'])(
    'if somebody else ends its process by %s',
    async (signal) => {
      await expect(ends(raised(signal))).rejects.toThrow('documents cannot be decoded');
    },
  );

  test('if its process fails by itself', async () => {
    await expect(ends('throw new Error("no decoder")')).rejects.toThrow('no decoder');
  });
});
