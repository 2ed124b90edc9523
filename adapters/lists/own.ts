/** A list of the bank's own, CSV: ref, kind, name, aliases, weak_aliases, birth_date, gender, nationality, country, identifiers, programme. */
import { countryIn } from '../../domain/screening/country-names.ts';
import { birthSpan } from '../../domain/screening/dates.ts';
import { draft, entryOf, genderIn, ListFault } from '../../domain/screening/lists.ts';
import type { EntryKind } from '../../domain/matching/compare.ts';
import { csvTable } from './csv-records.ts';
import type { ListItem } from './item.ts';

const KINDS: ReadonlyMap<string, EntryKind> = new Map(
  (['person', 'company', 'vessel', 'aircraft'] as const).map((kind) => [kind, kind]),
);

/** Reads the list. Several values of one field are apart by semicolons; an identifier is `type=value`. */
export async function* readOwn([path = '']: readonly string[]): AsyncGenerator<ListItem> {
  const seen = new Set<string>();
  for await (const { line, get } of csvTable(path, ['ref', 'kind', 'name'])) {
    const many = (column: string): string[] =>
      get(column)
        .split(';')
        .map((text) => text.trim())
        .filter(Boolean);
    const kind = KINDS.get(get('kind'));
    if (kind === undefined)
      throw new ListFault(line, 'has a kind that is none of person, company, vessel, aircraft');
    if (get('ref') === '' || get('name') === '') throw new ListFault(line, 'has no ref or no name');
    if (seen.has(get('ref'))) throw new ListFault(line, 'repeats a ref');
    seen.add(get('ref'));
    const of = draft(get('ref'), kind);
    of.names.push({ name: get('name'), quality: 'primary' });
    for (const name of many('aliases')) of.names.push({ name, quality: 'alias' });
    for (const name of many('weak_aliases')) of.names.push({ name, quality: 'weak' });
    of.birthDates.push(
      ...many('birth_date')
        .map(birthSpan)
        .filter((span) => span !== null),
    );
    of.gender = genderIn(get('gender'));
    of.nationalities.push(...many('nationality').map(countryIn));
    of.countries.push(...many('country').map(countryIn));
    for (const text of many('identifiers')) {
      const [type = '', value = ''] = text.split('=');
      of.identifiers.push({ type: type.trim(), value: value.trim() });
    }
    of.programme = get('programme') || null;
    of.reference = get('reference') || get('ref');
    yield { entry: entryOf(of) };
  }
}
