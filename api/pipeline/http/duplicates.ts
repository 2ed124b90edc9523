/** Names that one JSON object has twice. `JSON.parse` takes the last silently; a gateway in front may have judged the first. */
import type { FieldFault } from '../../../domain/refusals.ts';
import { escapePointer } from './text.ts';

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** An object or array that is being read, and where in it the reader is. */
interface Level {
  readonly seen: Set<string> | null;
  step: string;
  index: number;
  isName: boolean;
}

/** Finds repeated names, at most so many, in a text and the value that `JSON.parse` has read from it. */
export function repeatedFields(json: string, value: unknown, most: number): FieldFault[] {
  // the places are looked for only if there is something to find, because that takes fifty times as long
  return namesIn(json) === keysOf(value) ? [] : placesOfRepeats(json, most);
}

function namesIn(json: string): number {
  let count = 0;
  for (const [, colon] of json.matchAll(STRING)) if (colon !== undefined) count += 1;
  return count;
}

/** Without recursion: a body may be fifty thousand levels deep. */
function keysOf(value: unknown): number {
  let count = 0;
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const inner: unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += inner.length;
    for (const each of inner) open.push(each);
  }
  return count;
}

function placesOfRepeats(json: string, most: number): FieldFault[] {
  const faults: FieldFault[] = [];
  const levels: Level[] = [];
  for (const [token] of json.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '{') levels.push({ seen: new Set(), step: '', index: 0, isName: true });
    else if (token === '[') levels.push({ seen: null, step: '0', index: 0, isName: false });
    else if (token === '}' || token === ']') levels.pop();
    else if (level !== undefined) read(token, level, levels, faults);
    if (faults.length === most) break;
  }
  return faults;
}

function read(token: string, level: Level, levels: readonly Level[], faults: FieldFault[]): void {
  if (token === ':') level.isName = false;
  else if (token === ',') {
    level.isName = level.seen !== null;
    level.index += 1;
    if (level.seen === null) level.step = String(level.index);
  } else if (level.isName && level.seen !== null) {
    // two spellings of one name, such as \u0061 and a, are one
    level.step = String(JSON.parse(token));
    if (level.seen.has(level.step)) faults.push(repeated(levels));
    level.seen.add(level.step);
  }
}

function repeated(levels: readonly Level[]): FieldFault {
  const pointer = levels.map(({ step }) => `/${escapePointer(step)}`).join('');
  return { pointer: pointer.slice(0, 300), code: 'repeated', detail: 'is given more than once' };
}
