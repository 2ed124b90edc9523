/** The words of a PDF (ISO 32000-1 §7.2, §7.3), as far as names, brackets and keywords go. Nothing is wrong: viewers read on as well. */

export interface Reader {
  readonly bytes: Buffer;
  at: number;
}

const LINE_ENDS = table('\n\r');
const WHITE = table('\0\t\n\f\r ');
const DELIMITERS = table('()<>[]{}/%');
/** No name or keyword that matters is longer, escapes included. */
const MOST_CHARACTERS = 96;

/** The next name (`/Type`), bracket (`<<`, `>>`, `[`, `]`) or keyword (`obj`, `12`); a string is ''. Undefined at the end. */
export function nextToken(reader: Reader): string | undefined {
  const { bytes } = reader;
  for (;;) {
    const byte = bytes[reader.at];
    if (byte === undefined) return undefined;
    if (!WHITE[byte] && !DELIMITERS[byte]) return wordAt(reader);
    reader.at += 1;
    if (WHITE[byte]) continue;
    const character = String.fromCharCode(byte);
    switch (character) {
      case '%':
        skipUntil(reader, LINE_ENDS);
        continue;
      case '/':
        return `/${unescaped(wordAt(reader))}`;
      case '(':
        skipString(reader);
        return '';
      case '<':
        if (isDoubled(reader, character)) return '<<';
        reader.at = after(bytes.indexOf('>', reader.at), bytes);
        return '';
      case '>':
        if (isDoubled(reader, character)) return '>>';
        continue;
      default:
        return character;
    }
  }
}

/** Goes on after the end of the line, where the bytes of a stream begin. */
export function skipLine(reader: Reader): void {
  skipUntil(reader, LINE_ENDS);
  const isReturn = reader.bytes[reader.at] === 0x0d;
  reader.at += isReturn && reader.bytes[reader.at + 1] === 0x0a ? 2 : 1;
}

function table(characters: string): Uint8Array {
  const marks = new Uint8Array(256);
  for (const character of characters) marks[character.charCodeAt(0)] = 1;
  return marks;
}

function skipUntil(reader: Reader, ends: Uint8Array): void {
  while (reader.at < reader.bytes.length && !ends[reader.bytes[reader.at] ?? 0]) reader.at += 1;
}

function wordAt(reader: Reader): string {
  const start = reader.at;
  const { bytes } = reader;
  for (
    let byte = bytes[start];
    byte !== undefined && !WHITE[byte] && !DELIMITERS[byte];
    byte = bytes[reader.at]
  )
    reader.at += 1;
  return bytes.toString('latin1', start, Math.min(reader.at, start + MOST_CHARACTERS));
}

/** `/J#61vaScript` is /JavaScript. */
function unescaped(name: string): string {
  return name.replace(/#([0-9A-Fa-f]{2})/g, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

/** Brackets inside are part of the string if they come in pairs or after a backslash. */
function skipString(reader: Reader): void {
  for (let depth = 1; depth > 0 && reader.at < reader.bytes.length; reader.at += 1) {
    const byte = reader.bytes[reader.at];
    if (byte === 0x5c) reader.at += 1;
    else if (byte === 0x28) depth += 1;
    else if (byte === 0x29) depth -= 1;
  }
}

function isDoubled(reader: Reader, character: string): boolean {
  const isSame = reader.bytes[reader.at] === character.charCodeAt(0);
  if (isSame) reader.at += 1;
  return isSame;
}

function after(found: number, bytes: Buffer): number {
  return found === -1 ? bytes.length : found + 1;
}
