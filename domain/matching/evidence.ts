/** What speaks for or against two people being one, beside their names. */

/** From the first to the last day that a date of birth may be: a year is its first to its last day. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

export interface Identifier {
  readonly type: string;
  readonly value: string;
}

export interface Details {
  readonly birthDates: readonly Span[];
  readonly gender: string | null;
  readonly nationalities: readonly string[];
  readonly countries: readonly string[];
  readonly identifiers: readonly Identifier[];
}

export interface Evidence {
  readonly code:
    | 'birth_date_agrees'
    | 'birth_day_and_month_exchanged'
    | 'birth_year_near'
    | 'birth_year_differs'
    | 'birth_date_differs'
    | 'other_gender'
    | 'other_country'
    | 'other_nationality'
    | 'other_kind'
    | 'same_identifier';
  /** What it adds to the score; an identifier raises the score to at least `atLeast` instead. */
  readonly effect: number;
  readonly atLeast?: number;
  readonly asked: string;
  readonly listed: string;
}

const COUNTRY = -15;
const NATIONALITY = -12;
const GENDER = -15;
const IDENTIFIER = 85;
const STRONG_IDENTIFIER = 95;
const STRONG = new Set(['lei', 'bic', 'swift', 'tax_number', 'tax_id', 'tin', 'vat', 'inn']);

/** Everything that the details of both sides say. */
export function evidenceOf(asked: Details, listed: Details): readonly Evidence[] {
  const found = [
    birth(asked.birthDates, listed.birthDates),
    gender(asked, listed),
    identifier(asked, listed),
  ];
  const country = apart('other_country', COUNTRY, asked.countries, listed.countries);
  const nationality = apart('other_nationality', NATIONALITY, asked.nationalities, listed.nationalities);
  return [...found, country, nationality].filter((one) => one !== null);
}

function gender(asked: Details, listed: Details): Evidence | null {
  if (asked.gender === null || listed.gender === null || asked.gender === listed.gender) return null;
  return { code: 'other_gender', effect: GENDER, asked: asked.gender, listed: listed.gender };
}

function apart(
  code: 'other_country' | 'other_nationality',
  effect: number,
  asked: readonly string[],
  listed: readonly string[],
): Evidence | null {
  if (asked.length === 0 || listed.length === 0 || asked.some((one) => listed.includes(one))) return null;
  return { code, effect, asked: asked.join(', '), listed: listed.join(', ') };
}

/** Blanks, hyphens and case do not count. */
const plain = (value: string): string =>
  value
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** One spelling of an identifier, to find it by. */
export function plainIdentifier(identifier: Identifier): string {
  return plain(identifier.value);
}

function identifier(asked: Details, listed: Details): Evidence | null {
  let best: Evidence | null = null;
  for (const one of asked.identifiers)
    for (const other of listed.identifiers) {
      const value = plain(one.value);
      if (value.length < 4 || value !== plain(other.value)) continue;
      const atLeast = STRONG.has(one.type) || STRONG.has(other.type) ? STRONG_IDENTIFIER : IDENTIFIER;
      if (atLeast <= (best?.atLeast ?? 0)) continue;
      best = { code: 'same_identifier', effect: 0, atLeast, asked: one.value, listed: other.value };
    }
  return best;
}

/** The date of the list that agrees best with any date that was asked. */
function birth(asked: readonly Span[], listed: readonly Span[]): Evidence | null {
  let best: Evidence | null = null;
  for (const one of asked)
    for (const other of listed) {
      const found = compared(one, other);
      if (best === null || rankOfBirth(found) > rankOfBirth(best)) best = found;
    }
  return best;
}

const rankOfBirth = (found: Evidence): number => found.effect + (found.code === 'birth_date_agrees' ? 1 : 0);

const wholeDay = (span: Span): boolean => span.from === span.to;
const show = (span: Span): string => (wholeDay(span) ? span.from : `${span.from} to ${span.to}`);

function compared(asked: Span, listed: Span): Evidence {
  const sides = { asked: show(asked), listed: show(listed) };
  if (asked.from <= listed.to && listed.from <= asked.to)
    return { code: 'birth_date_agrees', effect: 0, ...sides };
  if (wholeDay(asked) && wholeDay(listed)) {
    if (exchanged(asked.from) === listed.from)
      return { code: 'birth_day_and_month_exchanged', effect: -8, ...sides };
    return { code: 'birth_date_differs', effect: -40, ...sides };
  }
  const years = yearsApart(asked, listed);
  if (years <= 1) return { code: 'birth_year_near', effect: -8, ...sides };
  return { code: 'birth_year_differs', effect: years <= 2 ? -15 : years <= 5 ? -20 : -25, ...sides };
}

const exchanged = (day: string): string => `${day.slice(0, 4)}-${day.slice(8, 10)}-${day.slice(5, 7)}`;

function yearsApart(a: Span, b: Span): number {
  const year = (day: string): number => Number(day.slice(0, 4));
  return a.to < b.from ? year(b.from) - year(a.to) : year(a.from) - year(b.to);
}
