/** The distinct words of a list and the names that hold them, found by what alike words have in common. */
import { asArabic, asHebrew, consonantsOfArabic, consonantsOfHebrew } from './consonants.ts';
import type { Name } from './names.ts';
import { meet } from './word-match.ts';
import { wordOf, type NameKind, type Word } from './words.ts';

export interface KnownWords {
  /** Adds a name at its place. Places only grow. */
  add(at: number, name: Name): void;
  /** The places of the names that share enough words with this one to be worth a comparison. */
  candidates(asked: Name): readonly number[];
}

interface Known {
  readonly word: Word;
  readonly names: number[];
}

interface Lookups {
  /** The places of words that meet a word. */
  readonly alike: (word: Word) => readonly number[];
  /** The same for a part of a word or several words: spelled the same, or with the same outline. */
  readonly near: (word: Word) => readonly number[];
}

/** Below this a word is too common to propose a name. */
const TELLING = 0.4;
const REMEMBERED = 20_000;

/** Words that propose a name, in groups that meet each other: one word of the other name counts once for a group. */
function telling({ kind, words }: Name): readonly (readonly Word[])[] {
  const groups: Word[][] = [];
  for (const word of words) {
    if ((word.role !== 'word' && word.role !== 'number') || word.weight <= TELLING) continue;
    const group = groups.find(([first]) => first !== undefined && meet(kind, first, word) !== null);
    if (group === undefined) groups.push([word]);
    else group.push(word);
  }
  return groups;
}

/** The words of names of one kind, empty at first. */
export function knownWords(kind: NameKind): KnownWords {
  const known: Known[] = [];
  const places = new Map<string, number>();
  const byKey = new Map<string, number[]>();
  const least: number[] = [];
  const remembered = new Map<string, readonly number[]>();
  const alike = (word: Word): readonly number[] => {
    const before = remembered.get(word.text);
    if (before !== undefined) return before;
    const found = alikeAmong(kind, known, byKey, word);
    if (remembered.size > REMEMBERED) remembered.clear();
    remembered.set(word.text, found);
    return found;
  };
  const near = (word: Word): readonly number[] => nearAmong(kind, known, byKey, word);
  return {
    add(at, name) {
      remembered.clear();
      const groups = name.kind === kind ? telling(name) : [];
      least[at] = groups.length;
      for (const word of [...groups.flat(), ...togetherOf(name, kind)]) {
        const place = places.get(word.text) ?? known.push({ word, names: [] }) - 1;
        if (!places.has(word.text)) {
          places.set(word.text, place);
          for (const key of keysOf(word)) push(byKey, key, place);
        }
        const list = known[place]?.names;
        if (list !== undefined && list.at(-1) !== at) list.push(at);
      }
    },
    candidates: (asked) => candidatesOf(asked, kind, known, { alike, near }, least),
  };
}

function nearAmong(
  kind: NameKind,
  known: readonly Known[],
  byKey: ReadonlyMap<string, readonly number[]>,
  word: Word,
): readonly number[] {
  const spelled = word.forms.flatMap((form) => byKey.get(`=${form}`) ?? []);
  const outlined = word.outlines.flatMap((outline) => byKey.get(`~${outline}`) ?? []);
  const meeting = outlined.filter((place) => {
    const other = known[place]?.word;
    return other !== undefined && meet(kind, word, other) !== null;
  });
  return [...spelled, ...meeting];
}

function push(map: Map<string, number[]>, key: string, value: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else if (list.at(-1) !== value) list.push(value);
}

/** What a word is found by: its outline, each outline with a consonant less, its line in the table, its consonants. */
function keysOf(word: Word): readonly string[] {
  if (word.role === 'number') return word.forms;
  const keys = new Set<string>();
  for (const outline of word.outlines) {
    keys.add(outline);
    if (outline.length > 3) keys.add(`~${outline}`);
    if (outline.length > 3)
      for (let at = 0; at < outline.length; at++) keys.add(outline.slice(0, at) + outline.slice(at + 1));
  }
  for (const form of word.forms) keys.add(`=${form}`);
  for (const line of word.lines) keys.add(`#${String(line)}`);
  for (const key of consonantKeys(word)) keys.add(key);
  return [...keys];
}

function consonantKeys(word: Word): readonly string[] {
  if (word.script === 'arabic')
    return consonantsOfArabic(word.original ?? '').readings.map((reading) => `a${reading}`);
  if (word.script === 'hebrew')
    return consonantsOfHebrew(word.original ?? '').readings.map((reading) => `h${reading}`);
  const form = word.forms[0] ?? '';
  return [...asArabic(form).map((read) => `a${read}`), ...asHebrew(form).map((read) => `h${read}`)];
}

/** The places of the known words that meet this one. */
function alikeAmong(
  kind: NameKind,
  known: readonly Known[],
  byKey: ReadonlyMap<string, readonly number[]>,
  word: Word,
): readonly number[] {
  const places = new Set<number>();
  for (const key of keysOf(word)) for (const place of byKey.get(key) ?? []) places.add(place);
  return [...places].filter((place) => {
    const other = known[place];
    return other !== undefined && meet(kind, word, other.word) !== null;
  });
}

function candidatesOf(
  asked: Name,
  kind: NameKind,
  known: readonly Known[],
  { alike, near }: Lookups,
  least: readonly number[],
): readonly number[] {
  const groups = telling(asked);
  const counts = new Uint8Array(least.length);
  // which group has counted a name last, so that none counts twice
  const last = new Uint8Array(least.length);
  const touched: number[] = [];
  let turn = 0;
  const count = (places: readonly number[], worth: number): void => {
    turn = (turn % 255) + 1;
    for (const place of places)
      for (const name of known[place]?.names ?? []) {
        if (last[name] === turn) continue;
        last[name] = turn;
        if (counts[name] === 0) touched.push(name);
        counts[name] = Math.min(9, (counts[name] ?? 0) + worth);
      }
  };
  for (const group of groups) count(group.flatMap(alike), 1);
  for (const word of joinedOf(asked, kind)) count(near(word), 2);
  for (const [head, rest] of splitsOf(groups.flat())) {
    const first = near(wordOf(kind, head));
    if (first.length === 0) continue;
    const names = new Set(first.flatMap((place) => known[place]?.names ?? []));
    const both = near(wordOf(kind, rest)).flatMap((place) => known[place]?.names ?? []);
    for (const name of both) {
      if (!names.has(name)) continue;
      if (counts[name] === 0) touched.push(name);
      counts[name] = Math.max(2, counts[name] ?? 0);
    }
  }
  const needed = Math.min(2, groups.length);
  return touched.filter((at) => (counts[at] ?? 0) >= Math.min(needed, least[at] ?? 0));
}

/** Arabic neighbours written together, as Latin letters have them: Nasr Allah is Nasrallah. */
function togetherOf(name: Name, kind: NameKind): readonly Word[] {
  return name.words.slice(1).flatMap((word, at) => {
    const before = name.words[at]?.original ?? null;
    return word.original === null || before === null ? [] : [wordOf(kind, before + word.original)];
  });
}

/** Neighbours written together, as the list may have them. */
function joinedOf(name: Name, kind: NameKind): readonly Word[] {
  const texts = name.words.map((word) => word.original ?? word.forms[0] ?? '');
  return [2, 3].flatMap((length) =>
    texts.slice(length - 1).map((_, at) => wordOf(kind, texts.slice(at, at + length).join(''))),
  );
}

const LONG = 7;
const PART = 3;

const PARTICLES =
  /^(?:van|von|den|der|del|dela|de|di|da|du|la|le|ter|zum|zur|al|el|abu|bin|ibn|ben|o|mac|mc)+$/;

/** A long word as two, as the list may have it; and without a particle at its beginning. */
function splitsOf(words: readonly Word[]): readonly (readonly [string, string])[] {
  return words.flatMap((word) => {
    const form = word.forms[0] ?? '';
    if (word.original !== null || form.length < LONG) return [];
    const cuts: (readonly [string, string])[] = [];
    for (let at = 2; at <= form.length - PART; at++) {
      const [head, rest] = [form.slice(0, at), form.slice(at)];
      if (PARTICLES.test(head)) cuts.push([rest, rest]);
      else cuts.push([head, rest]);
    }
    return cuts;
  });
}
