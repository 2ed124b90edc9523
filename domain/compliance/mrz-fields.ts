/** Field by field: what the machine-readable zone has, what the form has, and whether they agree. */
import { followThrough, zoneSpellings } from '../matching/zone-letters.ts';
import { countryOfZone } from '../standards/zone-countries.ts';
import { isSameDate, type PossibleDates } from './mrz-dates.ts';
import { isSameName, splitGiven } from './mrz-names.ts';
import type { Zone } from './mrz-zone.ts';

/** The part of a KYC request that a zone can confirm. Dates are yyyy-mm-dd, countries ISO 3166-1 alpha-2. */
export interface MrzForm {
  readonly first_name: string;
  readonly last_name: string;
  readonly middle_names?: string | undefined;
  readonly date_of_birth: string;
  readonly nationalities: readonly string[];
  readonly document: {
    /** "passport", "id_card", "residence_permit" or "driving_licence". */
    readonly type: string;
    readonly number: string;
    readonly issuing_country: string;
    readonly expires_on: string;
  };
}

export type MrzFieldName =
  | 'last_name'
  | 'first_name'
  | 'middle_names'
  | 'date_of_birth'
  | 'nationalities'
  | 'document.type'
  | 'document.number'
  | 'document.issuing_country'
  | 'document.expires_on';

export interface MrzField {
  readonly field: MrzFieldName;
  /** For people to read: dates with four digits of the year, countries with two letters if they have them. Null if there is nothing. */
  readonly document: string | null;
  readonly form: string | null;
  readonly agrees: boolean;
}

const orNull = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text);

/** Nothing is said of names for which a full zone has no room. */
export function nameFields({ names }: Zone, form: MrzForm): readonly MrzField[] {
  const { last, given, isCutOff } = names;
  const { first, isSame, rest } = splitGiven(names, form.first_name);
  const middle = form.middle_names ?? '';
  const field = (
    name: MrzFieldName,
    words: readonly string[],
    written: string,
    agrees: boolean,
  ): MrzField => ({
    field: name,
    document: orNull(words.join(' ')),
    form: orNull(written),
    agrees,
  });
  const hasFirst = given.length > 0 || !isCutOff;
  const hasMiddle = rest.length > 0 || (middle !== '' && !isCutOff);
  return [
    field('last_name', last, form.last_name, isSameName(last, form.last_name, isCutOff)),
    ...(hasFirst ? [field('first_name', first, form.first_name, isSame)] : []),
    ...(hasMiddle ? [field('middle_names', rest, middle, isSameName(rest, middle, isCutOff))] : []),
  ];
}

export function dateField(field: MrzFieldName, raw: string, dates: PossibleDates, written: string): MrzField {
  const same = dates.find((date) => isSameDate(date, written));
  const shown = same ?? dates[0] ?? raw.replaceAll('<', ' ').trim();
  return { field, document: orNull(shown), form: orNull(written), agrees: same !== undefined };
}

export function nationalityField({ nationality }: Zone, { nationalities }: MrzForm): readonly MrzField[] {
  if (nationality === null) return [];
  const country = countryOfZone(nationality);
  return [
    {
      field: 'nationalities',
      document: orNull(country ?? nationality),
      form: orNull(nationalities.join(', ')),
      agrees: country !== null && nationalities.includes(country),
    },
  ];
}

export function countryField({ issuer }: Zone, { document: { issuing_country } }: MrzForm): MrzField {
  const country = countryOfZone(issuer);
  return {
    field: 'document.issuing_country',
    document: orNull(country ?? issuer),
    form: orNull(issuing_country),
    agrees: country === issuing_country,
  };
}

/** The first letter says what a document is (ICAO 9303 parts 4 to 6); whether a card is a permit is left to states. */
export function typeField({ code }: Zone, { document: { type } }: MrzForm): MrzField {
  const kinds = code.startsWith('P')
    ? ['passport']
    : /^[ACI]/.test(code)
      ? ['id_card', 'residence_permit']
      : [];
  return { field: 'document.type', document: orNull(code), form: orNull(type), agrees: kinds.includes(type) };
}

/** Blanks, hyphens and fillers do not count. Whoever copies the number from the zone may have copied its check digit as well. */
export function numberField({ number, numberCheckDigit }: Zone, { document }: MrzForm): MrzField {
  const zoneNumber = number.replaceAll(' ', '').toLowerCase();
  const spelled = zoneSpellings(document.number.replace(/[^\p{L}\p{N}]/gu, ''));
  const isWritten = (text: string): boolean => spelled !== null && followThrough(spelled, text) === 'whole';
  return {
    field: 'document.number',
    document: orNull(number),
    form: orNull(document.number),
    agrees: zoneNumber !== '' && (isWritten(zoneNumber) || isWritten(zoneNumber + numberCheckDigit)),
  };
}
