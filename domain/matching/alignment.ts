/** Which word of a name met which word of the other, and the score that comes of it. */
import type { Name } from './names.ts';
import type { Reading } from './syllables.ts';
import { meet, meetJoined, type How } from './word-match.ts';
import { numberOf, type Word } from './words.ts';

export interface MetWords {
  readonly asked: string;
  readonly listed: string;
  readonly how: How;
  readonly score: number;
}

export interface NameMatch {
  /** Between 0 and 1. */
  readonly score: number;
  readonly met: readonly MetWords[];
  readonly missingInList: readonly string[];
  readonly missingInAsked: readonly string[];
}

interface Pair {
  readonly asked: readonly number[];
  readonly listed: readonly number[];
  readonly how: How;
  readonly score: number;
}

/** What words left over cost: on both sides they contradict each other, on one side they were left out. */
const CONTRADICTS = 1.35;
/** Names that very many people have prove less when words are missing. */
const COMMON = 1.5;
const COST = {
  person: { asked: [0.35, 0.5, 0.6], listed: [0.22, 0.42, 0.5] },
  company: { asked: [0.8, 0.9, 1], listed: [0.8, 0.9, 1] },
} as const;

/** Compares two prepared names of one kind. */
export function align(asked: Name, listed: Name): NameMatch {
  return syllables(asked, listed) ?? byWords(asked, listed);
}

/** Chinese and Korean names: family and given name meet or they do not. Null for other names. */
function syllables(asked: Name, listed: Name): NameMatch | null {
  if (asked.han !== null && listed.han !== null)
    return whole(asked, listed, asked.han === listed.han ? 1 : 0.5, 'same');
  const wade = asked.wade || listed.wade;
  if (asked.chinese.length > 0 && listed.chinese.length > 0) {
    const exact = met(asked.chinese, listed.chinese, (a, b) => a.given === b.given);
    const rough = wade && met(asked.chinese, listed.chinese, (a, b) => a.rough === b.rough);
    return whole(asked, listed, exact ? 0.98 : rough ? 0.92 : 0.5, exact ? 'same' : 'transliteration');
  }
  if (asked.korean.length === 0 || listed.korean.length === 0) return null;
  const same = met(asked.korean, listed.korean, (a, b) => a.rough === b.rough);
  return whole(asked, listed, same ? 0.95 : 0.5, 'transliteration');
}

function met(
  a: readonly Reading[],
  b: readonly Reading[],
  given: (a: Reading, b: Reading) => boolean,
): boolean {
  return a.some((one) =>
    b.some((other) => one.families.some((f) => other.families.includes(f)) && given(one, other)),
  );
}

function whole(asked: Name, listed: Name, score: number, how: How): NameMatch {
  const text = (name: Name): string => name.text;
  const same = score > 0.5;
  return {
    score,
    met: same ? [{ asked: text(asked), listed: text(listed), how, score }] : [],
    missingInList: same ? [] : asked.words.map((word) => word.text),
    missingInAsked: same ? [] : listed.words.map((word) => word.text),
  };
}

function byWords(asked: Name, listed: Name): NameMatch {
  const pairs = pairsOf(asked, listed);
  const usedA = new Set(pairs.flatMap((pair) => pair.asked));
  const usedB = new Set(pairs.flatMap((pair) => pair.listed));
  const leftA = asked.words.filter((_, at) => !usedA.has(at));
  const leftB = listed.words.filter((_, at) => !usedB.has(at));
  return {
    score: scoreOf(asked, listed, pairs, leftA, leftB),
    met: pairs.map((pair) => ({
      asked: pair.asked.map((at) => asked.words[at]?.text ?? '').join(' '),
      listed: pair.listed.map((at) => listed.words[at]?.text ?? '').join(' '),
      how: pair.how,
      score: pair.score,
    })),
    missingInList: leftA.map((word) => word.text),
    missingInAsked: leftB.map((word) => word.text),
  };
}

/** Equal words first, then words that one side writes together, then alike ones. */
function pairsOf(asked: Name, listed: Name): readonly Pair[] {
  const singles: Pair[] = [];
  for (const [i, a] of asked.words.entries())
    for (const [j, b] of listed.words.entries()) {
      if ((a.role === 'particle') !== (b.role === 'particle')) continue;
      const match = meet(asked.kind, a, b);
      if (match !== null) singles.push({ asked: [i], listed: [j], ...match });
    }
  singles.sort((a, b) => b.score - a.score);
  const usedA = new Set<number>();
  const usedB = new Set<number>();
  const chosen: Pair[] = [];
  const take = (pairs: readonly Pair[]): void => {
    for (const pair of pairs) {
      if (pair.asked.some((at) => usedA.has(at)) || pair.listed.some((at) => usedB.has(at))) continue;
      for (const at of pair.asked) usedA.add(at);
      for (const at of pair.listed) usedB.add(at);
      chosen.push(pair);
    }
  };
  const isParticle = (pair: Pair): boolean => asked.words[pair.asked[0] ?? 0]?.role === 'particle';
  take(singles.filter((pair) => pair.score >= 0.9 && !isParticle(pair)));
  if (usedA.size < asked.words.length && usedB.size < listed.words.length) {
    take(joins(asked.words, listed.words, usedA, usedB, false));
    take(joins(listed.words, asked.words, usedB, usedA, true));
  }
  take(singles);
  return chosen;
}

function joins(
  many: readonly Word[],
  few: readonly Word[],
  usedMany: ReadonlySet<number>,
  usedFew: ReadonlySet<number>,
  turned: boolean,
): readonly Pair[] {
  const found: Pair[] = [];
  for (const [at, one] of few.entries()) {
    if (usedFew.has(at) || one.role !== 'word') continue;
    for (let length = 2; length <= 3; length++)
      for (let from = 0; from + length <= many.length; from++) {
        const span = Array.from({ length }, (_, index) => from + index);
        if (span.some((index) => usedMany.has(index))) continue;
        const match = meetJoined(many.slice(from, from + length), one);
        if (match !== null)
          found.push(
            turned ? { asked: [at], listed: span, ...match } : { asked: span, listed: [at], ...match },
          );
      }
  }
  return found.sort((a, b) => b.score - a.score);
}

/** A word that is only alike counts less than its likeness says. */
const worth = (pair: Pair): number => (pair.how === 'initial' ? 0.3 : pair.score - (1 - pair.score) * 0.6);

function scoreOf(
  asked: Name,
  listed: Name,
  pairs: readonly Pair[],
  leftA: readonly Word[],
  leftB: readonly Word[],
): number {
  const side = (name: Name, at: readonly number[]): number =>
    at.reduce((sum, index) => sum + (name.words[index]?.weight ?? 0), 0);
  let matched = 0;
  let weight = 0;
  let initials = 0;
  let full = 0;
  for (const pair of pairs) {
    const own =
      pair.how === 'initial'
        ? initials++ === 0
          ? 0.6
          : 0.15
        : Math.max(side(asked, pair.asked), side(listed, pair.listed));
    matched += own * worth(pair);
    weight += own;
    if (pair.how !== 'initial' && own >= 0.5) full += 1;
  }
  if (full === 0 || weight === 0 || initials > 2) return 0;
  const common =
    asked.kind === 'person' &&
    pairs.every((pair) => Math.max(side(asked, pair.asked), side(listed, pair.listed)) < 0.75);
  const both = costOf(asked, leftA, leftB) * (common ? COMMON : 1);
  const score = Math.max(0, matched / (weight + both));
  return Math.min(score, ceiling(asked, listed, pairs, leftA, leftB));
}

function costOf(asked: Name, leftA: readonly Word[], leftB: readonly Word[]): number {
  const sum = (words: readonly Word[]): number => words.reduce((total, word) => total + word.weight, 0);
  const against = Math.min(sum(leftA), sum(leftB));
  const costs = COST[asked.kind];
  return against * CONTRADICTS + extra(leftA, against, costs.asked) + extra(leftB, against, costs.listed);
}

/** What words of one side cost that no word of the other side contradicts. */
function extra(words: readonly Word[], contradicted: number, costs: readonly number[]): number {
  let skip = contradicted;
  let cost = 0;
  let count = 0;
  for (const word of [...words].sort((a, b) => b.weight - a.weight)) {
    const counted = Math.max(0, word.weight - skip);
    skip = Math.max(0, skip - word.weight);
    if (counted === 0) continue;
    cost += counted * (word.role === 'particle' ? 0.3 : (costs[Math.min(count, costs.length - 1)] ?? 0));
    if (word.role !== 'particle') count += 1;
  }
  return cost;
}

/** The most that a match can be worth: one word does not stand for a long name, and numbers must agree. */
function ceiling(
  asked: Name,
  listed: Name,
  pairs: readonly Pair[],
  leftA: readonly Word[],
  leftB: readonly Word[],
): number {
  const counts = (words: readonly Word[]): number =>
    words.filter((word) => word.role === 'word' && word.weight > 0.5).length;
  const met = pairs.filter((pair) =>
    [...pair.asked].some((at) => counts([asked.words[at] ?? nothing]) > 0),
  ).length;
  const a = met + counts(leftA);
  const b = met + counts(leftB);
  const numbers = (words: readonly Word[]): string =>
    words
      .filter((word) => word.role === 'number')
      .map(numberOf)
      .sort()
      .join();
  if (asked.kind === 'company' && numbers(asked.words) !== numbers(listed.words)) return 0.5;
  return Math.min(a, b) <= 1 && Math.max(a, b) > 1 ? 0.55 : 1;
}

const nothing: Pick<Word, 'role' | 'weight'> & Word = {
  text: '', script: 'other', forms: [], sounds: [], outlines: [],
  ofHim: [], original: null, lines: [], role: 'particle', weight: 0,
}; // prettier-ignore
