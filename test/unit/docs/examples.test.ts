/**
 * Code in the documents is code of this project, and what the reader is asked to type still fits. A reader who has typed it
 * already runs these tests too.
 */
import { expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { blocksOf, declarationIn, documents, type Block } from '../../../dev/checks/code-examples.ts';
import { ROOT } from '../../../dev/service/process.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const blocks = documents().flatMap((document) =>
  blocksOf(read(document)).map((block) => [`${document}: ${block.file} ${block.name}`, block] as const),
);
const ofKind = (kind: Block['kind']) => blocks.filter(([, block]) => block.kind === kind);
const newFiles = ofKind('type this').filter(([, { language }]) => language === 'ts');
const diffs = ofKind('type this').filter(([, { language }]) => language === 'diff');

/** The formatter may break lines differently in a document. */
const squeezed = (code: string): string => code.replace(/\s+/g, '').replace(/,(?=[)\]}])/g, '');

test('every block of TypeScript says which file it is from, or that the reader types it', () => {
  const unmarked = ofKind(undefined).filter(([, { language }]) =>
    /^(ts|typescript|js|mjs|diff)$/.test(language),
  );
  expect(unmarked).toEqual([]);
});

test.each(ofKind('code'))('an example is the code that it names: %s', (_title, { file, name, text }) => {
  expect(squeezed(text)).toBe(squeezed(declarationIn(file, name)));
});

test.each(newFiles)('a file that the reader adds imports what exists: %s', (_title, { file, text }) => {
  const typed = existsSync(join(ROOT, file)) ? read(file) : text;
  expect(squeezed(typed)).toBe(squeezed(text));
  const imports = [...text.matchAll(/^import (?:type )?(?:\{([^}]*)\}|\* as \w+) from '(\.[^']*)'/gm)];
  expect(imports.length).toBeGreaterThan(0);
  for (const [, names = '', from = ''] of imports) {
    const exporting = read(join(dirname(file), from));
    const missing = names
      .split(',')
      .map((name) => name.replace('type ', '').trim())
      .filter((name) => name !== '' && !new RegExp(`export [a-z ]*\\b${name}\\b`).test(exporting));
    expect({ from, missing }).toEqual({ from, missing: [] });
  }
});

test.each(diffs)('a change that the reader makes fits the file: %s', (_title, { file, text }) => {
  for (const hunk of text.trimEnd().split(/^@@.*\n/m)) {
    const lines = hunk.split('\n');
    const side = (other: string): string =>
      lines
        .filter((line) => !line.startsWith(other))
        .map((line) => line.slice(1))
        .join('\n');
    const [before, after] = [side('+'), side('-')];
    expect([before, after].some((lines) => read(file).includes(lines))).toBe(true);
  }
});
