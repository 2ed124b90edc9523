/** OFAC's SDN.XML. Its elements are in a default namespace, which is left aside. */
import { countryIn } from '../../domain/screening/country-names.ts';
import { birthSpan } from '../../domain/screening/dates.ts';
import { draft, entryOf, genderIn } from '../../domain/screening/lists.ts';
import type { EntryKind } from '../../domain/matching/compare.ts';
import type { ListItem } from './item.ts';
import { at, childrenOf, textOf, xmlRecords, type Element } from './xml-records.ts';

const KINDS: ReadonlyMap<string, EntryKind> = new Map([
  ['individual', 'person'],
  ['vessel', 'vessel'],
  ['aircraft', 'aircraft'],
]);

/** Reads the list. */
export async function* readOfacXml([path = '']: readonly string[]): AsyncGenerator<ListItem> {
  for await (const element of xmlRecords(path, new Set(['sdnEntry', 'publshInformation']))) {
    if (element.name === 'publshInformation') {
      const [, month, day, year] = /(\d+)\/(\d+)\/(\d+)/.exec(textOf(element, 'Publish_Date') ?? '') ?? [];
      yield { publishedAt: year === undefined ? null : `${year}-${month ?? ''}-${day ?? ''}` };
    } else if (element.name === 'sdnEntry') yield { entry: entry(element) };
  }
}

const nameOf = (element: Element): string =>
  [textOf(element, 'lastName'), textOf(element, 'firstName')].filter((part) => part !== undefined).join(', ');

function entry(element: Element) {
  const kind = KINDS.get((textOf(element, 'sdnType') ?? '').toLowerCase()) ?? 'company';
  const of = draft(textOf(element, 'uid') ?? '', kind);
  of.names.push({ name: nameOf(element), quality: 'primary' });
  for (const aka of childrenOf(at(element, 'akaList'), 'aka'))
    of.names.push({ name: nameOf(aka), quality: textOf(aka, 'category') === 'weak' ? 'weak' : 'alias' });
  for (const item of childrenOf(at(element, 'dateOfBirthList'), 'dateOfBirthItem')) {
    const span = birthSpan(textOf(item, 'dateOfBirth') ?? '');
    if (span !== null) of.birthDates.push(span);
  }
  for (const list of ['nationality', 'citizenship'])
    for (const item of childrenOf(at(element, `${list}List`), list))
      of.nationalities.push(countryIn(textOf(item, 'country')));
  for (const address of childrenOf(at(element, 'addressList'), 'address'))
    of.countries.push(countryIn(textOf(address, 'country')));
  for (const id of childrenOf(at(element, 'idList'), 'id')) {
    const type = textOf(id, 'idType') ?? '';
    const value = textOf(id, 'idNumber') ?? '';
    if (type === 'Gender') of.gender = genderIn(value);
    else of.identifiers.push({ type: typeOf(type), value });
  }
  of.programme =
    childrenOf(at(element, 'programList'), 'program')
      .map(({ text }) => text.trim())
      .join(', ') || null;
  of.reference = of.ref;
  return entryOf(of);
}

function typeOf(type: string): string {
  if (type.startsWith('Digital Currency')) return 'crypto_address';
  if (type === 'Passport') return 'passport';
  if (type.startsWith('Tax ID')) return 'tax_number';
  return type.startsWith('SWIFT') ? 'bic' : 'registration';
}
