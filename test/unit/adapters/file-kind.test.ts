/** A file is what its bytes say, whatever its name and its sender claim. */
import { expect, test } from '@jest/globals';
import { isOfType } from '../../../adapters/file-kind.ts';
import type { ContentType } from '../../../domain/uploads.ts';
import { files } from '../../support/formats/files.ts';

test.each<[string, Buffer, ContentType]>([
  ['a PDF', files.pdf, 'application/pdf'],
  ['a PNG', files.png, 'image/png'],
  ['a JPEG', files.jpeg, 'image/jpeg'],
  ['a WebP', files.webp, 'image/webp'],
  ['text of any script', Buffer.from('Zażółć gęślą jaźń\r\n\t你好\n'), 'text/plain'],
  ['text cut in the middle of a character', Buffer.from('naïve').subarray(0, 3), 'text/plain'],
])('%s is taken for what it is', async (_what, content, type) => {
  expect(await isOfType(content, type)).toBe(true);
});

test.each<[string, Buffer, ContentType]>([
  ['a program called PDF', files.exe, 'application/pdf'],
  ['a program called text', files.exe, 'text/plain'],
  ['a PNG called JPEG', files.png, 'image/jpeg'],
  ['a PDF called text', files.pdf, 'text/plain'],
  ['text called PDF', Buffer.from('hello'), 'application/pdf'],
  ['an archive called PDF', files.zip, 'application/pdf'],
  ['bytes that are no UTF-8 called text', Buffer.from([0x48, 0xff, 0xfe, 0x69]), 'text/plain'],
  ['text with a zero byte', Buffer.from('a\0b'), 'text/plain'],
  ['nothing called PDF', Buffer.alloc(0), 'application/pdf'],
])('%s is not', async (_what, content, type) => {
  expect(await isOfType(content, type)).toBe(false);
});
