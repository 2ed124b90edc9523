/**
 * The names that the objects of a PDF use (ISO 32000-1 §7.3.5), such as /JavaScript. Old, hidden and unused objects count too, because
 * viewers disagree about what belongs to a broken file: an object is whatever follows `obj` or `trailer`, and what is packed into
 * object streams (§7.5.7).
 */
import { constants, inflateSync } from 'node:zlib';
import { nextToken, skipLine, type Reader } from './pdf-tokens.ts';

/** Bytes that are read in all. An honest file of 10 MiB is read about once. */
const MOST_READ = 96 * 1024 * 1024;
const MOST_UNPACKED = 32 * 1024 * 1024;

/** What an object stream says of itself. Any other name could mean another way of packing. */
const OF_OBJECT_STREAMS = ['Type', 'ObjStm', 'N', 'First', 'Length', 'Filter', 'FlateDecode', 'Extends'];

interface PdfObject {
  readonly tokens: readonly string[];
  /** Where the bytes of a stream begin; undefined unless the object is a stream. */
  readonly data: number | undefined;
}

/**
 * Each name once, without its slash. Of an encrypted file only what can be read without a password. Throws if there is too much to read,
 * or if objects are packed so that they cannot be read.
 */
export function namesIn(file: Buffer): ReadonlySet<string> {
  const names = new Set<string>();
  const streams: PdfObject[] = [];
  const spend = budget();
  for (const start of ['obj', 'trailer'])
    for (let at = file.indexOf(start); at !== -1; at = file.indexOf(start, at + 1)) {
      const reader = { bytes: file, at: at + start.length };
      const object = readObject(reader);
      spend(reader.at - at);
      for (const name of namesOf(object.tokens)) names.add(name);
      if (isObjectStream(object)) streams.push(object);
    }
  if (names.has('Encrypt')) return names;
  for (const stream of streams) {
    const bytes = unpacked(file, stream);
    spend(bytes.length);
    for (const name of namesOf(allTokens(bytes))) names.add(name);
  }
  return names;
}

function budget(): (bytes: number) => void {
  let left = MOST_READ;
  return (bytes) => {
    left -= bytes;
    if (left < 0) throw new Error('there is more to read than an honest file has');
  };
}

/** Ends at a keyword outside of all brackets. Inside of them viewers read over it. */
function readObject(reader: Reader): PdfObject {
  const tokens: string[] = [];
  let depth = 0;
  for (let token = nextToken(reader); token !== undefined; token = nextToken(reader)) {
    if (token === '<<' || token === '[') depth += 1;
    if (token === '>>' || token === ']') depth = Math.max(0, depth - 1);
    if (depth === 0 && token === 'stream') {
      skipLine(reader);
      return { tokens, data: reader.at };
    }
    if (depth === 0 && (token === 'obj' || token === 'endobj')) break;
    tokens.push(token);
  }
  return { tokens, data: undefined };
}

function allTokens(bytes: Buffer): string[] {
  const reader = { bytes, at: 0 };
  const tokens: string[] = [];
  for (let token = nextToken(reader); token !== undefined; token = nextToken(reader)) tokens.push(token);
  return tokens;
}

function namesOf(tokens: readonly string[]): string[] {
  return tokens.filter((token) => token.startsWith('/')).map((token) => token.slice(1));
}

function isObjectStream({ tokens, data }: PdfObject): boolean {
  return data !== undefined && tokens.includes('/N') && tokens.includes('/First');
}

/** As viewers do, takes what there is of a stream that is cut off. */
function unpacked(file: Buffer, { tokens, data }: PdfObject): Buffer {
  if (!namesOf(tokens).every((name) => OF_OBJECT_STREAMS.includes(name)) || !isPlainFlate(tokens))
    throw new Error('objects are packed in an unusual way');
  const packed = file.subarray(data);
  return inflateSync(packed, { maxOutputLength: MOST_UNPACKED, finishFlush: constants.Z_SYNC_FLUSH });
}

/** `/Filter /FlateDecode` or `/Filter [/FlateDecode]`, and said once. */
function isPlainFlate(tokens: readonly string[]): boolean {
  const at = tokens.indexOf('/Filter');
  if (at === -1 || at !== tokens.lastIndexOf('/Filter')) return false;
  const [first, second, third] = tokens.slice(at + 1);
  return first === '/FlateDecode' || (first === '[' && second === '/FlateDecode' && third === ']');
}
