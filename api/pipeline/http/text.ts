/** Text that no later part can hold: refused for every operation before its schema is asked. */
import type { FieldFault } from '../../../domain/refusals.ts';

/** Deeper than any declared body; keeps this walk and zod's from being driven deep. */
const MAX_DEPTH = 32;
const MAX_FAULTS = 20;

/**
 * Finds what PostgreSQL cannot store (NUL, unpaired surrogates), what would reach a prototype (`__proto__`), and nesting
 * beyond any declared body. Answers a fault for each place.
 */
export function faultsOfText(value: unknown, at: (path: string) => string = (path) => path): FieldFault[] {
  const faults: FieldFault[] = [];
  const note = (path: string, code: string, detail: string): void => {
    if (faults.length < MAX_FAULTS) faults.push({ pointer: at(path), code, detail });
  };
  const walk = (part: unknown, path: string, depth: number): void => {
    if (typeof part === 'string') {
      if (!isStorable(part)) note(path, 'invalid_characters', 'holds a NUL or an unpaired surrogate');
      return;
    }
    if (typeof part !== 'object' || part === null) return;
    if (depth === MAX_DEPTH) {
      note(path, 'too_deep', `is nested deeper than ${String(MAX_DEPTH)} levels`);
      return;
    }
    for (const [name, inner] of Object.entries(part)) {
      const pointer = `${path}/${escapePointer(name)}`;
      if (name === '__proto__') note(pointer, 'unknown_field', 'is not a field of this request');
      else if (!isStorable(name))
        note(path, 'invalid_characters', 'has a field whose name holds a NUL or an unpaired surrogate');
      else walk(inner, pointer, depth + 1);
    }
  };
  walk(value, '', 0);
  return faults;
}

/** RFC 6901 §3. A name that the client made up is cut, so that a Problem cannot be made to grow. */
export function escapePointer(name: string): string {
  return name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1');
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
