/** OFAC's advanced XML: parties refer to values, places and documents that stand before them in the file. */
import { countryIn } from '../../domain/screening/country-names.ts';
import { whole } from '../../domain/screening/dates.ts';
import { draft, entryOf, genderIn, type EntryDraft } from '../../domain/screening/lists.ts';
import type { EntryKind } from '../../domain/matching/compare.ts';
import type { Identifier } from '../../domain/matching/evidence.ts';
import type { ListItem } from './item.ts';
import { at, below, childrenOf, textOf, xmlRecords, type Element } from './xml-records.ts';

const RECORDS = new Set([
  ...['DateOfIssue', 'ReferenceValueSets', 'Location', 'IDRegDocument', 'DistinctParty'],
]);

interface Before {
  readonly values: Map<string, string>;
  /** The country of each place. */
  readonly places: Map<string, string | null>;
  readonly documents: Map<string, Identifier[]>;
}

/** Reads the list. */
export async function* readOfacAdvanced([path = '']: readonly string[]): AsyncGenerator<ListItem> {
  const before: Before = { values: new Map(), places: new Map(), documents: new Map() };
  for await (const element of xmlRecords(path, RECORDS)) {
    if (element.name === 'DateOfIssue') yield { publishedAt: dayOf(element)?.from ?? null };
    else if (element.name === 'ReferenceValueSets') values(element, before);
    else if (element.name === 'Location') place(element, before);
    else if (element.name === 'IDRegDocument') document(element, before);
    else if (element.name === 'DistinctParty') yield { entry: entry(element, before) };
  }
}

const dayOf = (element: Element | undefined) =>
  whole(textOf(element, 'Year'), textOf(element, 'Month'), textOf(element, 'Day'));

function values(sets: Element, before: Before): void {
  for (const set of sets.children)
    for (const value of set.children) {
      const key = `${value.name} ${value.attributes['ID'] ?? ''}`;
      before.values.set(key, value.attributes['ISO2'] ?? value.text.trim());
      if (value.name === 'PartySubType')
        before.values.set(`${key} party`, value.attributes['PartyTypeID'] ?? '');
    }
}

function place(element: Element, before: Before): void {
  const country = at(element, 'LocationCountry')?.attributes['CountryID'] ?? '';
  before.places.set(element.attributes['ID'] ?? '', countryIn(before.values.get(`Country ${country}`)));
}

function document(element: Element, before: Before): void {
  const owner = element.attributes['IdentityID'] ?? '';
  const type = before.values.get(`IDRegDocType ${element.attributes['IDRegDocTypeID'] ?? ''}`) ?? '';
  const kind = /passport/i.test(type) ? 'passport' : /tax/i.test(type) ? 'tax_number' : 'registration';
  const found = { type: kind, value: textOf(element, 'IDRegistrationNo') ?? '' };
  before.documents.set(owner, [...(before.documents.get(owner) ?? []), found]);
}

function entry(party: Element, before: Before) {
  const profile = at(party, 'Profile');
  const sub = profile?.attributes['PartySubTypeID'] ?? '';
  const of = draft(party.attributes['FixedRef'] ?? '', kindOf(sub, before));
  for (const identity of childrenOf(profile, 'Identity')) {
    for (const alias of childrenOf(identity, 'Alias')) names(of, alias);
    of.identifiers.push(...(before.documents.get(identity.attributes['ID'] ?? '') ?? []));
  }
  for (const feature of childrenOf(profile, 'Feature')) features(of, feature, before);
  of.reference = of.ref;
  return entryOf(of);
}

function kindOf(sub: string, before: Before): EntryKind {
  const name = (before.values.get(`PartySubType ${sub}`) ?? '').toLowerCase();
  if (name === 'vessel' || name === 'aircraft') return name;
  const type = before.values.get(`PartyType ${before.values.get(`PartySubType ${sub} party`) ?? ''}`) ?? '';
  return /individual/i.test(type) ? 'person' : 'company';
}

function names(of: EntryDraft, alias: Element): void {
  const low = alias.attributes['LowQuality'] === 'true';
  const primary = alias.attributes['Primary'] === 'true';
  for (const [number, documented] of childrenOf(alias, 'DocumentedName').entries()) {
    const name = below(documented, 'NamePartValue')
      .map(({ text }) => text.trim())
      .join(' ');
    of.names.push({ name, quality: low ? 'weak' : primary && number === 0 ? 'primary' : 'alias' });
  }
}

function features(of: EntryDraft, feature: Element, before: Before): void {
  const type = before.values.get(`FeatureType ${feature.attributes['FeatureTypeID'] ?? ''}`) ?? '';
  for (const version of childrenOf(feature, 'FeatureVersion')) {
    const detail = at(version, 'VersionDetail');
    if (type === 'Birthdate') {
      const from = dayOf(at(version, 'DatePeriod', 'Start', 'From'));
      const to = dayOf(at(version, 'DatePeriod', 'End', 'To')) ?? from;
      if (from !== null && to !== null) of.birthDates.push({ from: from.from, to: to.to });
    } else if (type === 'Gender')
      of.gender = genderIn(
        before.values.get(`DetailReference ${detail?.attributes['DetailReferenceID'] ?? ''}`),
      );
    else if (/^(Nationality|Citizenship) Country/.test(type) || type === 'Location') {
      const country =
        before.places.get(at(version, 'VersionLocation')?.attributes['LocationID'] ?? '') ?? null;
      (type === 'Location' ? of.countries : of.nationalities).push(country);
    } else if (type.startsWith('Digital Currency Address'))
      of.identifiers.push({ type: 'crypto_address', value: detail?.text.trim() ?? '' });
  }
}
