/** The consolidated list of the European Union, XML 1.1: nearly everything is an attribute. */
import { countryIn } from '../../domain/screening/country-names.ts';
import { birthSpan, whole, years } from '../../domain/screening/dates.ts';
import { draft, entryOf, genderIn } from '../../domain/screening/lists.ts';
import type { ListItem } from './item.ts';
import { at, childrenOf, xmlRecords, type Element } from './xml-records.ts';

/** Reads the list. */
export async function* readEu([path = '']: readonly string[]): AsyncGenerator<ListItem> {
  for await (const element of xmlRecords(path, new Set(['sanctionEntity']))) {
    if (element.name === 'sanctionEntity') yield { entry: entry(element) };
    else yield { publishedAt: element.attributes['generationDate'] ?? null };
  }
}

function entry(element: Element) {
  const { logicalId = '', euReferenceNumber } = element.attributes;
  const code = at(element, 'subjectType')?.attributes['code'] ?? '';
  const of = draft(logicalId, code === 'person' ? 'person' : 'company');
  for (const [number, alias] of childrenOf(element, 'nameAlias').entries()) {
    const { wholeName = '', strong, gender } = alias.attributes;
    of.names.push({
      name: wholeName,
      quality: strong === 'false' ? 'weak' : number === 0 ? 'primary' : 'alias',
    });
    of.gender ??= genderIn(gender);
  }
  for (const date of childrenOf(element, 'birthdate')) {
    const { birthdate, year, monthOfYear, dayOfMonth, yearRangeFrom, yearRangeTo, circa } = date.attributes;
    const range = yearRangeFrom !== undefined && yearRangeTo !== undefined;
    const about = circa === 'true' && year !== undefined;
    const day = birthdate === undefined ? whole(year, monthOfYear, dayOfMonth) : birthSpan(birthdate);
    const span = range ? years(yearRangeFrom, yearRangeTo) : about ? birthSpan(`circa ${year}`) : day;
    if (span !== null) of.birthDates.push(span);
  }
  for (const { attributes } of childrenOf(element, 'citizenship'))
    of.nationalities.push(countryIn(attributes['countryIso2Code']));
  for (const { attributes } of childrenOf(element, 'address'))
    of.countries.push(countryIn(attributes['countryIso2Code']));
  for (const { attributes } of childrenOf(element, 'identification')) {
    const type = attributes['identificationTypeCode'] === 'passport' ? 'passport' : 'registration';
    of.identifiers.push({ type, value: attributes['number'] ?? '' });
  }
  of.programme = at(element, 'regulation')?.attributes['programme'] ?? null;
  of.reference = euReferenceNumber ?? logicalId;
  return entryOf(of);
}
