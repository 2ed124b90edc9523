/** Name screening between the wire and the matcher. */
import type { z } from 'zod';
import type { Asked, Comparison, Entry } from '../../../domain/matching/compare.ts';
import type { Details, Span } from '../../../domain/matching/evidence.ts';
import type * as wire from './schemas.ts';

type Subject = z.output<typeof wire.ScreeningSubject>;
type Listed = z.output<typeof wire.ScreeningEntry>;

/** Whoever is asked about, as the matcher takes it. */
export function askedIn(subject: Subject): Asked {
  return { kind: subject.kind, name: subject.name, details: detailsIn(subject, []) };
}

/** An entry that is not on a list, as the matcher takes it. */
export function entryIn(entry: Listed): Entry {
  const spans = (entry.birth_dates ?? []).map(({ from, to }) => ({
    from: spanOf(from).from,
    to: spanOf(to).to,
  }));
  return {
    kind: entry.kind,
    names: entry.names.map(({ name, quality = 'primary' }) => ({ name, quality })),
    details: detailsIn(entry, spans),
  };
}

function detailsIn(of: Omit<Subject, 'kind' | 'name'>, birthDates: readonly Span[]): Details {
  return {
    birthDates: of.birth_date == null ? birthDates : [...birthDates, spanOf(of.birth_date)],
    gender: of.gender ?? null,
    nationalities: of.nationality == null ? [] : [of.nationality],
    countries: of.country == null ? [] : [of.country],
    identifiers: of.identifiers ?? [],
  };
}

/** A year is its first to its last day, and a month too. */
function spanOf(text: string): Span {
  if (text.length === 4) return { from: `${text}-01-01`, to: `${text}-12-31` };
  if (text.length === 7) return { from: `${text}-01`, to: `${text}-31` };
  return { from: text, to: text };
}

/** A comparison as the wire shows it. */
export function comparisonView({ score, explanation }: Comparison, threshold: number) {
  const { words, only_asked, only_listed, evidence, ...said } = explanation;
  return {
    score,
    hit: score >= threshold,
    explanation: {
      ...said,
      words: words.map((pair) => ({ ...pair, score: Math.round(pair.score * 100) / 100 })),
      only_asked: [...only_asked],
      only_listed: [...only_listed],
      evidence: evidence.map(({ atLeast, ...one }) => ({ ...one, at_least: atLeast ?? null })),
    },
  };
}
