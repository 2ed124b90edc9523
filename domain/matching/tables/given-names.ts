/**
 * Given names that are one name: spellings, forms of other alphabets and, after the bar, short forms. Two known names of different
 * lines are different names, however alike they look: Jamal is not Jamil, Maria is not Mario.
 */
import { plainArabic } from '../consonants.ts';
import { ARABIC_NAMES } from './given-names-arabic.ts';
import { EUROPEAN_NAMES } from './given-names-european.ts';

const groups = new Map<string, number[]>();
const shortForms = new Set<string>();

for (const [line, text] of `${ARABIC_NAMES.trim()}\n${EUROPEAN_NAMES.trim()}`.split('\n').entries()) {
  const [full = '', short = ''] = text.split(' | ');
  for (const written of `${full} ${short}`.trim().split(/\s+/)) {
    const name = plainArabic(written);
    const known = groups.get(name) ?? [];
    if (!known.includes(line)) groups.set(name, [...known, line]);
  }
  for (const name of short.split(/\s+/)) if (name !== '') shortForms.add(name);
}

/** The lines of the table that a name stands in; none for an unknown name. */
export function linesOfGivenName(name: string): readonly number[] {
  return groups.get(name) ?? [];
}

/** True for Bill, Sasha and other names that stand for a longer one. */
export function isShortForm(name: string): boolean {
  return shortForms.has(name);
}
