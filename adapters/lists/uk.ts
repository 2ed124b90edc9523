/** The UK Sanctions List, XML or CSV; it has been the only British list since January 2026. */
import { countryIn } from '../../domain/screening/country-names.ts';
import { birthSpan, whole } from '../../domain/screening/dates.ts';
import { draft, entryOf, genderIn, type EntryDraft } from '../../domain/screening/lists.ts';
import type { EntryKind, Quality } from '../../domain/matching/compare.ts';
import { csvTable } from './csv-records.ts';
import type { ListItem } from './item.ts';
import { at, below, textOf, xmlRecords, type Element } from './xml-records.ts';

/** Reads the list. */
export async function* readUk([path = '']: readonly string[]): AsyncGenerator<ListItem> {
  if (/\.csv$/i.test(path)) yield* fromCsv(path);
  else
    for await (const element of xmlRecords(path, new Set(['Designation', 'DateGenerated']))) {
      if (element.name === 'DateGenerated') yield { publishedAt: birthSpan(element.text)?.from ?? null };
      else if (element.name === 'Designation') yield { entry: entry(element) };
    }
}

function kindOf(text: string): EntryKind {
  if (/individual/i.test(text)) return 'person';
  return /ship/i.test(text) ? 'vessel' : 'company';
}

const qualityOf = (type: string, strength: string): Quality =>
  /low/i.test(strength) ? 'weak' : /^primary name$/i.test(type) ? 'primary' : 'alias';

/** Days and months that are not known are written "dd" and "mm". */
function birth(of: EntryDraft, text: string): void {
  const [, day, month, year] = /^(\w{2})\/(\w{2})\/(\d{4})$/.exec(text.trim()) ?? [];
  const span = year === undefined ? birthSpan(text) : whole(year, month, day);
  if (span !== null) of.birthDates.push(span);
}

function entry(element: Element) {
  const of = draft(textOf(element, 'UniqueID') ?? '', kindOf(textOf(element, 'IndividualEntityShip') ?? ''));
  for (const name of below(element, 'Name')) {
    const parts = [1, 2, 3, 4, 5, 6].map((number) => textOf(name, `Name${number}`) ?? '');
    of.names.push({
      name: parts.join(' '),
      quality: qualityOf(textOf(name, 'NameType') ?? '', textOf(name, 'AliasStrength') ?? ''),
    });
  }
  for (const { text } of below(element, 'NameNonLatinScript'))
    of.names.push({ name: text, quality: 'alias' });
  for (const { text } of below(element, 'DOB')) birth(of, text);
  for (const { text } of below(element, 'Nationality')) of.nationalities.push(countryIn(text));
  for (const { text } of below(element, 'PassportNumber'))
    of.identifiers.push({ type: 'passport', value: text.trim() });
  for (const address of below(element, 'Address'))
    of.countries.push(countryIn(textOf(address, 'AddressCountry')));
  of.gender = genderIn(at(element, 'IndividualDetails', 'Individual', 'Genders', 'Gender')?.text);
  of.programme = textOf(element, 'RegimeName') ?? null;
  of.reference = of.ref;
  return entryOf(of);
}

/** One line a name; the lines of an entry follow one another. */
async function* fromCsv(path: string): AsyncGenerator<ListItem> {
  let of: EntryDraft | undefined;
  for await (const { get } of csvTable(path, ['unique id', 'name 6'])) {
    const ref = get('unique id');
    if (of !== undefined && of.ref !== ref) yield { entry: entryOf(of) };
    if (of?.ref !== ref) of = draft(ref, kindOf(get('designation type') || get('individual, entity, ship')));
    const parts = [1, 2, 3, 4, 5, 6].map((number) => get(`name ${number}`));
    of.names.push({ name: parts.join(' '), quality: qualityOf(get('name type'), get('alias strength')) });
    of.names.push({ name: get('name non-latin script'), quality: 'alias' });
    for (const text of get('d.o.b').split(/[;|]/)) birth(of, text);
    of.nationalities.push(...get('nationality(/ies)').split(/[;|]/).map(countryIn));
    of.countries.push(countryIn(get('address country')));
    of.gender ??= genderIn(get('gender'));
    of.programme = get('regime name') || null;
    of.reference = ref;
  }
  if (of !== undefined) yield { entry: entryOf(of) };
}
