/**
 * Code in the documents. An example is a fenced block below `<!-- code: FILE NAME -->`: the declaration of NAME in FILE.
 * `node dev/run.mjs dev/checks/code-examples.ts` copies the present declarations into all documents.
 * A block below `<!-- type this: FILE -->` is for the reader to type: a new file, or a diff of one that exists.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../service/process.ts';

const DOCUMENTS = ['*.md', 'docs/**/*.md', 'tools/**/*.md'];
const BLOCK = /(?:<!-- (code|type this): ([^>]*) -->\n\n)?^```(\w*)\n([\s\S]*?)^```$/gm;

export interface Block {
  readonly kind: 'code' | 'type this' | undefined;
  /** What the marker names: the file, and for `code` the declaration. */
  readonly file: string;
  readonly name: string;
  readonly language: string;
  readonly text: string;
}

/** The paths of all Markdown files of the project, from its root. */
export function documents(): string[] {
  return globSync(DOCUMENTS, { cwd: ROOT }).toSorted();
}

/** The fenced blocks of a Markdown text, each with the marker above it. */
export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(BLOCK)].map(([, kind, marker = '', language = '', text = '']) => {
    const [file = '', name = ''] = marker.split(' ');
    return { kind: kind as Block['kind'], file, name, language, text };
  });
}

/**
 * The top-level declaration of this name, with the comment above it. Throws if the file has none. The formatter indents
 * everything inside a declaration, so it ends with the first line that is not indented and closes or ends a statement.
 */
export function declarationIn(file: string, name: string): string {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  const opening = new RegExp(`^(export )?(async )?(function|const|interface|type) ${name}\\b`);
  const declared = lines.findIndex((line) => opening.test(line));
  const end = lines.findIndex((line, at) => at >= declared && /^\S.*[;}]$|^[;}]$/.test(line));
  if (declared < 0 || end < 0) throw new Error(`${file} declares no ${name}`);
  let start = declared;
  while (/^( \*|\/\*\*|\/\/)/.test(lines[start - 1] ?? '')) start -= 1;
  return lines.slice(start, end + 1).join('\n');
}

function refreshed(markdown: string): string {
  return markdown.replace(BLOCK, (whole: string, ...groups: (string | undefined)[]) => {
    const [kind, marker = '', , text = ''] = groups;
    if (kind !== 'code') return whole;
    const [file = '', name = ''] = marker.split(' ');
    const opening = whole.slice(0, -`${text}\`\`\``.length);
    return `${opening}${declarationIn(file, name)}\n\`\`\``;
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const path of documents()) {
    const now = readFileSync(join(ROOT, path), 'utf8');
    const wanted = refreshed(now);
    if (wanted !== now) writeFileSync(join(ROOT, path), wanted);
  }
}
