/** Versions of what can be changed: two states are the same if their texts are. */
import { createHash } from 'node:crypto';

const CHARACTERS = 27;

/** The first 162 bits of the text's SHA-256, as base64url. */
export function versionOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, CHARACTERS);
}
