/** The consolidated list of the United Nations, XML. */
import { countryIn } from '../../domain/screening/country-names.ts';
import { birthSpan, whole, years } from '../../domain/screening/dates.ts';
import { draft, entryOf, genderIn } from '../../domain/screening/lists.ts';
import type { Span } from '../../domain/matching/evidence.ts';
import type { ListItem } from './item.ts';
import { childrenOf, textOf, xmlRecords, type Element } from './xml-records.ts';

const RECORDS = new Set(['INDIVIDUAL', 'ENTITY']);
const PARTS = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME'];

/** Reads the list. */
export async function* readUn([path = '']: readonly string[]): AsyncGenerator<ListItem> {
  for await (const element of xmlRecords(path, RECORDS)) {
    if (!RECORDS.has(element.name)) yield { publishedAt: element.attributes['dateGenerated'] ?? null };
    else yield { entry: entry(element) };
  }
}

function entry(element: Element) {
  const person = element.name === 'INDIVIDUAL';
  const of = draft(textOf(element, 'DATAID') ?? '', person ? 'person' : 'company');
  const prefix = person ? 'INDIVIDUAL' : 'ENTITY';
  const name = PARTS.map((part) => textOf(element, part) ?? '').join(' ');
  of.names.push({ name, quality: 'primary' });
  const original = textOf(element, 'NAME_ORIGINAL_SCRIPT');
  if (original !== undefined) of.names.push({ name: original, quality: 'alias' });
  for (const alias of childrenOf(element, `${prefix}_ALIAS`)) {
    const quality = textOf(alias, 'QUALITY') === 'Low' ? 'weak' : 'alias';
    of.names.push({ name: textOf(alias, 'ALIAS_NAME') ?? '', quality });
  }
  for (const date of childrenOf(element, 'INDIVIDUAL_DATE_OF_BIRTH')) {
    const span = birth(date);
    if (span !== null) of.birthDates.push(span);
  }
  for (const document of childrenOf(element, 'INDIVIDUAL_DOCUMENT')) {
    const type = textOf(document, 'TYPE_OF_DOCUMENT')?.toLowerCase().includes('passport')
      ? 'passport'
      : 'id_card';
    of.identifiers.push({ type, value: textOf(document, 'NUMBER') ?? '' });
  }
  of.gender = genderIn(textOf(element, 'GENDER'));
  for (const nationality of childrenOf(element, 'NATIONALITY'))
    for (const value of childrenOf(nationality, 'VALUE')) of.nationalities.push(countryIn(value.text));
  for (const address of childrenOf(element, `${prefix}_ADDRESS`))
    of.countries.push(countryIn(textOf(address, 'COUNTRY')));
  of.programme = textOf(element, 'UN_LIST_TYPE') ?? null;
  of.reference = textOf(element, 'REFERENCE_NUMBER') ?? null;
  return entryOf(of);
}

function birth(date: Element): Span | null {
  const [from, to] = [textOf(date, 'FROM_YEAR'), textOf(date, 'TO_YEAR')];
  if (from !== undefined && to !== undefined) return years(from, to);
  const day = textOf(date, 'DATE');
  const near = textOf(date, 'TYPE_OF_DATE') === 'APPROXIMATELY' ? 'circa ' : '';
  if (day !== undefined) return birthSpan(near + day);
  const year = textOf(date, 'YEAR');
  return year === undefined ? null : near === '' ? whole(year) : birthSpan(near + year);
}
