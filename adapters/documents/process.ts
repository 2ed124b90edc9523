/**
 * Decodes one document, which comes in by standard input: `process.ts examine image/jpeg` answers `right` or what is wrong with it,
 * `process.ts copy image/jpeg` the copy that people see.
 */
import { buffer } from 'node:stream/consumers';
import { NOT_READABLE } from './work.ts';

/** Of the whole process. An image of 100 megapixels takes about 400 MB. */
const MOST_BYTES = 768 * 1024 * 1024;
const LOOK_MILLISECONDS = 25;
/** Longer than whoever has started this process waits: for the case that they are gone. */
const MOST_MILLISECONDS = 20_000;

setInterval(() => {
  if (process.memoryUsage.rss() > MOST_BYTES) process.exit(NOT_READABLE);
}, LOOK_MILLISECONDS).unref();
setTimeout(() => process.exit(NOT_READABLE), MOST_MILLISECONDS).unref();

const [work, type = ''] = process.argv.slice(2);
const said = await answer(await buffer(process.stdin));
process.exitCode = said === undefined ? NOT_READABLE : 0;
process.stdout.write(said ?? '');

async function answer(content: Buffer): Promise<Buffer | string | undefined> {
  if (type === 'application/pdf') {
    const { examinePdf } = await import('./pdf.ts');
    return (await examinePdf(content)) ?? 'right';
  }
  const { examineImage, viewingImage } = await import('./images.ts');
  return work === 'copy' ? viewingImage(content) : ((await examineImage(content, type)) ?? 'right');
}
