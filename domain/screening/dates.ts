/** Dates of birth as lists write them: "15 Mar 1962", "1962", "circa 1962", "1960 to 1965", "1962-03-15", "15/03/1962". */
import type { Span } from '../matching/evidence.ts';

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** From the first to the last day that the text may mean; null if it says none. */
export function birthSpan(text: string): Span | null {
  const clean = text.trim();
  const range = /\b(\d{4})\b\s*(?:to|-|–)\s*\b(\d{4})\b/.exec(clean);
  if (range?.[1] !== undefined && range[2] !== undefined) return years(range[1], range[2]);
  const iso = /\b(\d{4})-(\d{2})-(\d{2})/.exec(clean);
  if (iso !== null) return whole(iso[1], iso[2], iso[3]);
  const slashed = /\b(\d{2})[/.](\d{2})[/.](\d{4})\b/.exec(clean);
  if (slashed !== null) return whole(slashed[3], slashed[2], slashed[1]);
  const written = /\b(?:(\d{1,2})\s+)?([A-Za-z]{3})[a-z]*\s+(\d{4})\b/.exec(clean);
  const month = written === null ? -1 : MONTHS.indexOf((written[2] ?? '').toLowerCase());
  if (written?.[3] !== undefined && month >= 0) {
    const two = String(month + 1).padStart(2, '0');
    if (written[1] !== undefined) return whole(written[3], two, written[1].padStart(2, '0'));
    return { from: `${written[3]}-${two}-01`, to: `${written[3]}-${two}-31` };
  }
  const year = /\b(\d{4})\b/.exec(clean)?.[1];
  if (year === undefined) return null;
  return /circa|approx|about/i.test(clean)
    ? years(String(Number(year) - 1), String(Number(year) + 1))
    : years(year, year);
}

/** All days of these years. */
export function years(from: string, to: string): Span {
  return { from: `${from}-01-01`, to: `${to}-12-31` };
}

/** A day; a part that is missing or 00 widens it to the month or the year. */
export function whole(year = '', month = '', day = ''): Span | null {
  if (!/^\d{4}$/.test(year)) return null;
  if (!/^(0?[1-9]|1[0-2])$/.test(month)) return years(year, year);
  const two = month.padStart(2, '0');
  if (!/^(0?[1-9]|[12]\d|3[01])$/.test(day)) return { from: `${year}-${two}-01`, to: `${year}-${two}-31` };
  const text = `${year}-${two}-${day.padStart(2, '0')}`;
  return { from: text, to: text };
}
