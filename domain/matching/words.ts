/** One word of a name, prepared once so that comparing it is cheap. */
import { plainArabic } from './consonants.ts';
import { latinOf, scriptOf, withoutLookAlikes, type Script } from './letters.ts';
import { outlineOf, soundOf } from './sound.ts';
import { isLegalForm, isTradeWord, numberIn, tradeWord, withoutGluedForm } from './tables/company-words.ts';
import { linesOfGivenName } from './tables/given-names.ts';
import { isCommonName, isParticle, isTitle } from './tables/person-words.ts';

export type NameKind = 'person' | 'company';

export interface Word {
  readonly text: string;
  readonly script: Script;
  /** In Latin letters, the usual spelling first. */
  readonly forms: readonly string[];
  readonly sounds: readonly string[];
  readonly outlines: readonly string[];
  /** Sounds and spellings with the ending that a man's family name has: Volkov for Volkova, Kowalski for Kowalska. */
  readonly ofHim: readonly string[];
  /** Arabic or Hebrew letters in one spelling; null for other scripts. */
  readonly original: string | null;
  /** Lines of the table of given names; none for companies and unknown names. */
  readonly lines: readonly number[];
  readonly role: 'word' | 'initial' | 'particle' | 'number';
  readonly weight: number;
}

const STOP = new Set(
  'and und et y e the of for de du des la le el al und no nr num number nummer numero nomer fur pour i'.split(
    ' ',
  ),
);
const known = { person: new Map<string, Word>(), company: new Map<string, Word>() };

/** The word as one of a person's or a company's name. */
export function wordOf(kind: NameKind, text: string): Word {
  const before = known[kind].get(text);
  if (before !== undefined) return before;
  const word = prepared(kind, text);
  if (known[kind].size > 100_000) known[kind].clear();
  known[kind].set(text, word);
  return word;
}

function prepared(kind: NameKind, text: string): Word {
  const clean = withoutLookAlikes(text);
  const script = scriptOf(clean);
  const original = script === 'arabic' ? plainArabic(clean) : script === 'hebrew' ? clean : null;
  const latin = latinOf(clean, script);
  const forms = kind === 'company' ? [...new Set(latin.map((form) => tradeWord(form)))] : latin;
  const sounds = [...new Set(forms.map(soundOf))];
  const lines = kind === 'person' ? linesOf(original ?? clean.toLowerCase(), forms, sounds) : [];
  const first = forms[0] ?? '';
  return {
    text,
    script,
    forms,
    sounds,
    outlines: [...new Set(sounds.map(outlineOf))],
    ofHim: kind === 'person' ? [...new Set([...sounds, ...forms].map(ofHim))] : [],
    original,
    lines,
    ...(kind === 'person' ? personRole(first, lines.length > 0) : companyRole(first)),
  };
}

/** Slavic family names have two endings. */
function ofHim(word: string): string {
  if (word.length < 5) return word;
  return word
    .replace(/(ov|ev|yov)a$/, '$1')
    .replace(/(sk|ck)(aia|aya|aja|a)$/, '$1i')
    .replace(/(sk|ck)(y|iy|ij|ii|yy|yi)$/, '$1i');
}

function linesOf(original: string, forms: readonly string[], sounds: readonly string[]): readonly number[] {
  const written = linesOfGivenName(original);
  if (written.length > 0) return written;
  const exact = [...new Set(forms.flatMap((form) => linesOfGivenName(form)))];
  return exact.length > 0 ? exact : [...new Set(sounds.flatMap((sound) => linesOfGivenName(sound)))];
}

function personRole(first: string, given: boolean): Pick<Word, 'role' | 'weight'> {
  if (first.length === 1) return { role: 'initial', weight: 0.6 };
  if (isParticle(first)) return { role: 'particle', weight: 0.15 };
  if (first === 'abd' || first === 'abdul') return { role: 'word', weight: 0.4 };
  if (isCommonName(first)) return { role: 'word', weight: 0.72 };
  return { role: 'word', weight: given ? 0.9 : 1 };
}

function companyRole(first: string): Pick<Word, 'role' | 'weight'> {
  if (numberIn(first) !== null) return { role: 'number', weight: 0.7 };
  if (STOP.has(first)) return { role: 'particle', weight: 0.05 };
  return { role: 'word', weight: isTradeWord(first) ? 0.5 : first.length < 3 ? 0.6 : 1 };
}

/** The words of a company's name without forms of law, unless nothing else is left. */
export function withoutForms(texts: readonly string[]): readonly string[] {
  const folded = (text: string): string => latinOf(text, scriptOf(text))[0] ?? '';
  const kept = texts.filter((text) => !isLegalForm(folded(text)) && !isLegalForm(text.toLowerCase()));
  const unglued = kept.map((text) => withoutGluedForm(folded(text)) ?? text);
  return unglued.length > 0 ? unglued : texts;
}

/** The words of a person's name without titles, unless nothing else is left. */
export function withoutTitles(texts: readonly string[]): readonly string[] {
  const kept = texts.filter((text) => !isTitle(text.toLowerCase()));
  return kept.length > 0 ? kept : texts;
}

/** The number that the word stands for. */
export function numberOf(word: Word): string {
  return numberIn(word.forms[0] ?? '') ?? '';
}
