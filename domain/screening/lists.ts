/** Entries of sanctions lists, whichever list they come from. */
import type { Quality, EntryKind } from '../matching/compare.ts';
import type { Details, Identifier, Span } from '../matching/evidence.ts';

/** Where lists come from, as files. */
export const LIST_SOURCES = [
  ...(['un', 'ofac_csv', 'ofac_xml', 'ofac_advanced', 'eu', 'uk', 'opensanctions', 'own'] as const),
] as const;
export type ListSource = (typeof LIST_SOURCES)[number];

export const ENTRY_KINDS = ['person', 'company', 'vessel', 'aircraft'] as const;

export const LOAD_STATUSES = ['loaded', 'unchanged', 'refused', 'pending_change'] as const;
export type LoadStatus = (typeof LOAD_STATUSES)[number];

/** How many of each kind a file has. */
export interface ListCounts {
  readonly person: number;
  readonly company: number;
  readonly vessel: number;
  readonly aircraft: number;
  readonly names: number;
}

/** One entry as its list has it. */
export interface ListedEntry {
  /** What the list knows it by. */
  readonly ref: string;
  readonly kind: EntryKind;
  readonly names: readonly { readonly name: string; readonly quality: Quality }[];
  readonly details: Details;
  /** Under which programme it is listed. */
  readonly programme: string | null;
  /** The number that the public knows it by. */
  readonly reference: string | null;
}

/** A file is broken at this line. */
export class ListFault extends Error {
  override readonly name = 'ListFault';
  readonly line: number;
  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

/** An entry that is being read; what a list leaves out stays empty. */
export interface EntryDraft {
  ref: string;
  kind: EntryKind;
  names: { name: string; quality: Quality }[];
  birthDates: Span[];
  gender: string | null;
  nationalities: (string | null)[];
  countries: (string | null)[];
  identifiers: Identifier[];
  programme: string | null;
  reference: string | null;
}

/** An empty entry. */
export function draft(ref: string, kind: EntryKind): EntryDraft {
  return {
    ...{ ref, kind, names: [], birthDates: [], gender: null, nationalities: [], countries: [] },
    ...{ identifiers: [], programme: null, reference: null },
  };
}

/** The entry, without empty or repeated names; null if it has none. */
export function entryOf(of: EntryDraft): ListedEntry | null {
  const seen = new Set<string>();
  const names = of.names
    .map(({ name, quality }) => ({ name: name.replace(/\s+/g, ' ').trim().slice(0, 500), quality }))
    .filter(({ name }) => {
      const fresh = /[\p{L}\p{N}]/u.test(name) && !seen.has(name);
      seen.add(name);
      return fresh;
    });
  if (names.length === 0 || of.ref === '') return null;
  const known = (list: readonly (string | null)[]): string[] => [
    ...new Set(list.filter((code) => code !== null)),
  ];
  return {
    ref: of.ref.slice(0, 200),
    kind: of.kind,
    names,
    details: {
      birthDates: of.birthDates,
      gender: of.gender,
      nationalities: known(of.nationalities),
      countries: known(of.countries),
      identifiers: of.identifiers.filter(({ value }) => value.trim() !== ''),
    },
    programme: of.programme,
    reference: of.reference,
  };
}

/** A gender in any list's words. */
export function genderIn(text: string | undefined): string | null {
  const word = text?.trim().toLowerCase() ?? '';
  if (/^m(ale)?$/.test(word)) return 'male';
  return /^f(emale)?$/.test(word) ? 'female' : null;
}
