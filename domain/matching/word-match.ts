/** How one word meets another, and how well. */
import { asArabic, asHebrew, consonantsOfArabic, consonantsOfHebrew } from './consonants.ts';
import { budgetOf, distance } from './distance.ts';
import { soundOf } from './sound.ts';
import { isShortForm } from './tables/given-names.ts';
import { numberOf, wordOf, type NameKind, type Word } from './words.ts';

export type How = 'same' | 'transliteration' | 'spelling' | 'short_form' | 'same_name' | 'initial' | 'joined';

export interface WordMatch {
  readonly score: number;
  readonly how: How;
}

const shared = (a: readonly string[], b: readonly string[]): boolean => a.some((one) => b.includes(one));

const REMEMBERED = 4000;
/** What was found for a word of whoever is asked about: a list asks the same again for each of its names. */
const remembered = {
  person: new WeakMap<Word, Map<Word, WordMatch | null>>(),
  company: new WeakMap<Word, Map<Word, WordMatch | null>>(),
};

/** How well two words meet, between 0.5 and 1; null if they are different words. */
export function meet(kind: NameKind, a: Word, b: Word): WordMatch | null {
  const before = remembered[kind].get(a) ?? new Map<Word, WordMatch | null>();
  if (before.size === 0 || before.size > REMEMBERED) {
    before.clear();
    remembered[kind].set(a, before);
  }
  const known = before.get(b);
  if (known !== undefined) return known;
  const found = judge(kind, a, b);
  before.set(b, found);
  return found;
}

function judge(kind: NameKind, a: Word, b: Word): WordMatch | null {
  if (a.role === 'number' || b.role === 'number')
    return a.role === b.role && numberOf(a) === numberOf(b) ? { score: 1, how: 'same' } : null;
  if (a.original !== null && a.original === b.original) return { score: 1, how: 'same' };
  if (shared(a.forms, b.forms))
    return a.script === b.script ? { score: 1, how: 'same' } : { score: 0.98, how: 'transliteration' };
  if (a.role === 'initial' || b.role === 'initial') return initial(a, b);
  if (a.lines.length > 0 && b.lines.length > 0) return givenNames(a, b);
  const letters = consonants(a, b) ?? consonants(b, a);
  if (letters !== null) return letters;
  if (a.original !== null || b.original !== null)
    return a.original !== null && b.original !== null ? spelled(a.original, b.original) : null;
  return latin(kind, a, b);
}

function initial(a: Word, b: Word): WordMatch | null {
  const [one, other] = a.role === 'initial' ? [a, b] : [b, a];
  const letter = one.forms[0] ?? '';
  return other.role === 'word' && other.forms.some((form) => form.startsWith(letter))
    ? { score: 0.6, how: 'initial' }
    : null;
}

function givenNames(a: Word, b: Word): WordMatch | null {
  if (!a.lines.some((line) => b.lines.includes(line))) return null;
  if (shared(a.sounds, b.sounds))
    return { score: 0.97, how: a.script === b.script ? 'spelling' : 'transliteration' };
  const short = [...a.forms, ...b.forms].some((form) => isShortForm(form));
  return short ? { score: 0.93, how: 'short_form' } : { score: 0.95, how: 'same_name' };
}

function consonants(a: Word, b: Word): WordMatch | null {
  if (a.original === null || b.original !== null) return null;
  const written = a.script === 'arabic' ? consonantsOfArabic(a.original) : consonantsOfHebrew(a.original);
  for (const form of b.forms) {
    const read = a.script === 'arabic' ? asArabic(form) : asHebrew(form);
    const same = written.readings.find((reading) => reading.length > 1 && read.includes(reading));
    if (same === undefined || !written.vowels.every((vowel) => vowel.test(form))) continue;
    // Mohammadi is written with a ya at its end, and Mohammad without
    if (a.script === 'arabic' && /[iy]$/.test(form) && !/[\u064a\u0627\u0647]$/.test(a.original)) continue;
    return { score: same.length > 2 ? 0.95 : 0.85, how: 'transliteration' };
  }
  return null;
}

function latin(kind: NameKind, a: Word, b: Word): WordMatch | null {
  const how = a.script === b.script ? 'spelling' : 'transliteration';
  if (kind === 'person') {
    if (sameFamily(a, b)) return { score: 0.95, how: 'spelling' };
    if (areTwins(a, b)) return null;
  }
  const short = Math.min(...a.forms.map((form) => form.length), ...b.forms.map((form) => form.length));
  if (short < 3) return null;
  const most = short === 3 ? 0.3 : Infinity;
  if (shared(a.sounds, b.sounds)) return { score: 0.95, how };
  if (kind === 'company' && short < 5) return null;
  let best: WordMatch | null = null;
  for (const [left, right] of [...pairs(a.sounds, b.sounds), ...pairs(a.forms, b.forms)]) {
    const found = spelled(left, right, most);
    if (found !== null && found.score > (best?.score ?? 0)) best = { ...found, how };
  }
  return best;
}

/** The part of the budget that may be spent: words that are barely alike prove nothing. */
const USABLE = 0.72;

function spelled(a: string, b: string, most = Infinity): WordMatch | null {
  const budget = Math.min(most, budgetOf(a, b));
  if (budget <= 0) return null;
  const cost = distance(a, b, budget);
  return cost > budget * USABLE ? null : { score: 1 - (0.5 * cost) / budget, how: 'spelling' };
}

const pairs = (a: readonly string[], b: readonly string[]): readonly (readonly [string, string])[] =>
  a.flatMap((left) => b.map((right) => [left, right] as const));

function sameFamily(a: Word, b: Word): boolean {
  if (a.lines.length > 0 || b.lines.length > 0) return false;
  return shared(a.ofHim, b.ofHim);
}

/** Paul and Paula, Khalid and Khalida, Mohammad and Mohammadi: one letter apart, and two people. */
function areTwins(a: Word, b: Word): boolean {
  return pairs(a.sounds, b.sounds).some(([left, right]) => {
    const [short, long] = left.length <= right.length ? [left, right] : [right, left];
    if (long === `${short}a` || long === `${short}i`) return true;
    if (left.length !== right.length || left.length > MOST_TWIN || left.slice(0, -1) !== right.slice(0, -1))
      return false;
    return ['ao', 'oa', 'ae', 'ea'].includes(`${left.at(-1) ?? ''}${right.at(-1) ?? ''}`);
  });
}

/** In longer names another ending is another spelling: Lukashenko and Lukashenka. */
const MOST_TWIN = 7;

/** How a run of words meets one word that is written together. */
export function meetJoined(run: readonly Word[], one: Word): WordMatch | null {
  if (run.every((word) => word.original !== null)) return arabicJoined(run, one);
  const joined = run.map((word) => word.forms[0] ?? '').join('');
  if (joined.length < 5 || one.original !== null) return null;
  if (one.forms.includes(joined)) return { score: 0.98, how: 'joined' };
  // an article or "Abu" that is written together: El-Sharif is Alsharif, and Abu Bakr is Aboubakr
  if (
    run[0]?.role === 'particle' &&
    one.forms.some((form) => soundOf(article(form)) === soundOf(article(joined)))
  )
    return { score: 0.96, how: 'joined' };
  const form = one.forms[0] ?? '';
  const glued = /^[ae]l(.{4,})$/.exec(form)?.[1];
  if (run.length === 2 && glued !== undefined && /^[ae]l$/.test(run[0]?.forms[0] ?? '')) {
    const match = run[1] === undefined ? null : meet('person', run[1], wordOf('person', glued));
    return match === null ? null : { score: match.score * 0.98, how: 'joined' };
  }
  if (form[0] !== joined[0] || Math.abs(form.length - joined.length) > 2) return null;
  const found = spelled(joined, form);
  return found !== null && found.score >= 0.8 ? { score: found.score * 0.98, how: 'joined' } : null;
}

const article = (written: string): string => written.replace(/^el/, 'al');

function arabicJoined(run: readonly Word[], one: Word): WordMatch | null {
  const [first] = run;
  if (first === undefined || run.some((word) => word.script !== first.script)) return null;
  const original = run.map((word) => word.original ?? '').join('');
  if (one.original !== null) return one.original === original ? { score: 0.98, how: 'joined' } : null;
  const match = consonants({ ...first, original }, one);
  return match === null ? null : { ...match, how: 'joined' };
}
