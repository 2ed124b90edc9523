/** OFAC's SDN.CSV with ALT.CSV and ADD.CSV: no header, "-0-" for nothing, much of it in the remarks. */
import { countryIn } from '../../domain/screening/country-names.ts';
import { birthSpan } from '../../domain/screening/dates.ts';
import { draft, entryOf, genderIn, ListFault, type EntryDraft } from '../../domain/screening/lists.ts';
import type { EntryKind } from '../../domain/matching/compare.ts';
import { csvRows } from './csv-records.ts';
import type { ListItem } from './item.ts';

const SDN_FIELDS = 12;
const ALT_FIELDS = 5;
const ADD_FIELDS = 6;
const REMARK =
  /(?:^|; ?)(?<alt>alt\. )?(?<key>DOB|nationality|citizen|Gender|Passport|National ID No\.|Tax ID No\.|SWIFT\/BIC|Registration ID|Identification Number|Vessel Registration Identification|Digital Currency Address - \w+|a\.k\.a\.|f\.k\.a\.)\s*:?\s*(?<value>[^;]+)/gi;

/** Reads the files in any order; they are told apart by how many fields they have. */
export async function* readOfacCsv(paths: readonly string[]): AsyncGenerator<ListItem> {
  const aliases = new Map<string, string[]>();
  const countries = new Map<string, string[]>();
  let sdn: string | undefined;
  for (const path of paths) {
    const fields = await fieldsOf(path);
    if (fields >= SDN_FIELDS) sdn = path;
    else if (fields === ALT_FIELDS) await collect(path, ALT_FIELDS, 3, aliases);
    else if (fields === ADD_FIELDS) await collect(path, ADD_FIELDS, 4, countries);
    else throw new ListFault(1, `has ${fields} fields: neither SDN, ALT nor ADD`);
  }
  if (sdn === undefined) throw new ListFault(1, 'SDN.CSV is missing');
  for await (const { fields, line } of csvRows(sdn, { fields: SDN_FIELDS })) {
    const [ref = '', name = '', type = '', programme = ''] = fields.map(value);
    if (!/^\d+$/.test(ref)) throw new ListFault(line, 'has no number in its first field');
    const of = draft(ref, kindOf(type));
    of.names.push({ name, quality: 'primary' });
    for (const alias of aliases.get(ref) ?? []) of.names.push({ name: alias, quality: 'alias' });
    for (const country of countries.get(ref) ?? []) of.countries.push(countryIn(country));
    of.programme = programme === '' ? null : programme;
    of.reference = ref;
    remarks(of, value(fields[11] ?? ''));
    yield { entry: entryOf(of) };
  }
}

async function fieldsOf(path: string): Promise<number> {
  for await (const { fields } of csvRows(path, { fields: 1 })) return fields.length;
  return 0;
}

async function collect(
  path: string,
  fields: number,
  place: number,
  into: Map<string, string[]>,
): Promise<void> {
  for await (const row of csvRows(path, { fields })) {
    const [ref, text] = [value(row.fields[0] ?? ''), value(row.fields[place] ?? '')];
    if (text !== '') into.set(ref, [...(into.get(ref) ?? []), text]);
  }
}

const value = (text: string): string => (text.trim() === '-0-' ? '' : text.trim());

function kindOf(type: string): EntryKind {
  if (type === 'individual') return 'person';
  return type === 'vessel' || type === 'aircraft' ? type : 'company';
}

function remarks(of: EntryDraft, text: string): void {
  for (const { groups } of text.replace(/\.$/, '').matchAll(REMARK)) {
    const key = (groups?.['key'] ?? '').toLowerCase();
    const said = (groups?.['value'] ?? '').trim();
    if (key === 'dob') {
      const span = birthSpan(said);
      if (span !== null) of.birthDates.push(span);
    } else if (key === 'nationality' || key === 'citizen') of.nationalities.push(countryIn(said));
    else if (key === 'gender') of.gender = genderIn(said);
    else if (key.endsWith('.k.a.')) of.names.push({ name: said.replace(/^'|'$/g, ''), quality: 'weak' });
    else
      of.identifiers.push({
        type: typeOf(key),
        value: said.replace(/\s*\(.*$/, '').split(' issued')[0] ?? '',
      });
  }
}

function typeOf(key: string): string {
  if (key.startsWith('digital')) return 'crypto_address';
  if (key.startsWith('tax')) return 'tax_number';
  if (key.startsWith('swift')) return 'bic';
  if (key.startsWith('vessel')) return 'imo';
  return key === 'passport' ? 'passport' : 'registration';
}
