/** How likely it is that somebody is an entry of a list, between 0 and 100, with the reasons for people to read. */
import { align, type MetWords, type NameMatch } from './alignment.ts';
import { evidenceOf, type Details, type Evidence } from './evidence.ts';
import { nameOf, type Name } from './names.ts';
import type { NameKind } from './words.ts';

export type Quality = 'primary' | 'alias' | 'weak';
export type EntryKind = NameKind | 'vessel' | 'aircraft';

/** Whoever is asked about. */
export interface Asked {
  readonly kind: NameKind;
  readonly name: string;
  readonly details: Details;
}

/** Whoever stands on a list. */
export interface Entry {
  readonly kind: EntryKind;
  readonly names: readonly { readonly name: string; readonly quality: Quality }[];
  readonly details: Details;
}

export interface PreparedAsked {
  readonly name: Name;
  readonly details: Details;
}

export interface PreparedEntry {
  readonly kind: EntryKind;
  readonly names: readonly { readonly name: Name; readonly quality: Quality }[];
  readonly details: Details;
}

export interface Explanation {
  /** One sentence. */
  readonly summary: string;
  /** The name of the entry that met best. */
  readonly name: string;
  readonly quality: Quality;
  readonly name_score: number;
  readonly words: readonly MetWords[];
  readonly only_asked: readonly string[];
  readonly only_listed: readonly string[];
  readonly evidence: readonly Evidence[];
}

export interface Comparison {
  /** A whole number from 0 to 100. */
  readonly score: number;
  /** Orders equal scores: a birth date that agrees comes first, one that contradicts last. */
  readonly rank: number;
  readonly explanation: Explanation;
}

const WEAK_AT_MOST = 80;
const OTHER_KIND = -40;

/** Prepares whoever is asked about; comparing with many entries then is cheap. */
export function prepareAsked(asked: Asked): PreparedAsked {
  return { name: nameOf(asked.kind, asked.name), details: asked.details };
}

/** Prepares an entry of a list. */
export function prepareEntry(entry: Entry): PreparedEntry {
  const kind = entry.kind === 'person' ? 'person' : 'company';
  return {
    kind: entry.kind,
    details: entry.details,
    names: entry.names.map(({ name, quality }) => ({ name: nameOf(kind, name), quality })),
  };
}

/** Compares both, with the entry's best name. */
export function compare(asked: PreparedAsked, entry: PreparedEntry): Comparison {
  let best: { score: number; match: NameMatch; name: string; quality: Quality } | null = null;
  for (const { name, quality } of entry.names) {
    const match = align(asked.name, sameKind(asked.name, name));
    const score = Math.round(quality === 'weak' ? weak(match) : match.score * 100);
    const better =
      best === null ||
      score > best.score ||
      (score === best.score && rankOfQuality(quality) > rankOfQuality(best.quality));
    if (better) best = { score, match, name: name.text, quality };
  }
  const evidence = [...evidenceOf(asked.details, entry.details), ...otherKind(asked, entry)];
  return judged(asked, best ?? { score: 0, match: NO_MATCH, name: '', quality: 'primary' }, evidence);
}

const NO_MATCH: NameMatch = { score: 0, met: [], missingInList: [], missingInAsked: [] };
const rankOfQuality = (quality: Quality): number => ({ primary: 2, alias: 1, weak: 0 })[quality];

/** A person is compared with a company's name word by word, as a person's. */
function sameKind(asked: Name, listed: Name): Name {
  return asked.kind === listed.kind ? listed : nameOf(asked.kind, listed.text);
}

/** A weak alias is met by equal words only. */
function weak(match: NameMatch): number {
  const equal = match.met.length > 0 && match.met.every((pair) => pair.how === 'same');
  return equal && match.missingInList.length === 0 && match.missingInAsked.length === 0 ? WEAK_AT_MOST : 0;
}

function otherKind(asked: PreparedAsked, entry: PreparedEntry): readonly Evidence[] {
  if ((asked.name.kind === 'person') === (entry.kind === 'person')) return [];
  return [{ code: 'other_kind', effect: OTHER_KIND, asked: asked.name.kind, listed: entry.kind }];
}

function judged(
  asked: PreparedAsked,
  best: {
    readonly score: number;
    readonly match: NameMatch;
    readonly name: string;
    readonly quality: Quality;
  },
  evidence: readonly Evidence[],
): Comparison {
  const lowered = evidence.reduce((sum, one) => sum + one.effect, best.score);
  const raised = evidence.reduce((most, one) => Math.max(most, one.atLeast ?? 0), Math.max(0, lowered));
  const score = Math.min(100, raised);
  return {
    score,
    rank: rankOf(evidence),
    explanation: {
      summary: summaryOf(asked.name.text, best.name, score, evidence),
      name: best.name,
      quality: best.quality,
      name_score: best.score,
      words: best.match.met,
      only_asked: best.match.missingInList,
      only_listed: best.match.missingInAsked,
      evidence,
    },
  };
}

function rankOf(evidence: readonly Evidence[]): number {
  const birth = evidence.find((one) => one.code.startsWith('birth'));
  if (birth === undefined) return 1;
  return birth.code === 'birth_date_agrees' ? 2 : 0;
}

const SAID: Readonly<Record<Evidence['code'], string>> = {
  birth_date_agrees: 'the date of birth agrees',
  birth_day_and_month_exchanged: 'day and month of birth are exchanged',
  birth_year_near: 'the years of birth are one apart',
  birth_year_differs: 'the years of birth differ',
  birth_date_differs: 'the dates of birth differ',
  other_gender: 'the gender differs',
  other_country: 'the country differs',
  other_nationality: 'the nationality differs',
  other_kind: 'one is a person and the other is not',
  same_identifier: 'an identifier is the same',
};

function summaryOf(asked: string, listed: string, score: number, evidence: readonly Evidence[]): string {
  const beside = evidence.map((one) => SAID[one.code]).join('; ');
  return `"${asked}" is compared with "${listed}": ${String(score)} of 100${beside === '' ? '' : `; ${beside}`}.`;
}
