/** OpenSanctions: `targets.simple.csv`, or entities as lines of JSON. A bank needs a licence for the data. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { countryIn } from '../../domain/screening/country-names.ts';
import { birthSpan } from '../../domain/screening/dates.ts';
import { draft, entryOf, genderIn, ListFault } from '../../domain/screening/lists.ts';
import type { EntryKind } from '../../domain/matching/compare.ts';
import { csvTable } from './csv-records.ts';
import type { ListItem } from './item.ts';

const KINDS: ReadonlyMap<string, EntryKind> = new Map([
  ['Person', 'person'],
  ['Vessel', 'vessel'],
  ['Airplane', 'aircraft'],
  ...['Company', 'Organization', 'LegalEntity', 'PublicBody'].map((schema) => [schema, 'company'] as const),
]);

const Line = z.looseObject({
  id: z.string(),
  schema: z.string(),
  target: z.boolean().optional(),
  properties: z.record(z.string(), z.array(z.string())),
});

/** Reads the list. */
export async function* readOpenSanctions([path = '']: readonly string[]): AsyncGenerator<ListItem> {
  if (/\.json(l)?$/i.test(path)) yield* fromJson(path);
  else
    for await (const { get } of csvTable(path, ['id', 'schema', 'name'])) {
      const many = (column: string): string[] =>
        get(column)
          .split(';')
          .map((text) => text.trim())
          .filter(Boolean);
      yield {
        entry: entry(get('id'), get('schema'), {
          name: [get('name')],
          alias: many('aliases'),
          birthDate: many('birth_date'),
          country: many('countries'),
          idNumber: many('identifiers'),
          program: many('sanctions'),
        }),
      };
    }
}

async function* fromJson(path: string): AsyncGenerator<ListItem> {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    line += 1;
    if (text.trim() === '') continue;
    const { id, schema, target, properties } = parsed(text, line);
    if (target !== false) yield { entry: entry(id, schema, properties) };
  }
}

function parsed(text: string, line: number): z.output<typeof Line> {
  try {
    return Line.parse(JSON.parse(text));
  } catch {
    throw new ListFault(line, 'is no entity in JSON');
  }
}

function entry(id: string, schema: string, of: Readonly<Record<string, readonly string[]>>) {
  const kind = KINDS.get(schema);
  // addresses, ownerships and other things that nobody is
  if (kind === undefined) return null;
  const all = (name: string): readonly string[] => of[name] ?? [];
  const made = draft(id, kind);
  for (const [number, name] of all('name').entries())
    made.names.push({ name, quality: number === 0 ? 'primary' : 'alias' });
  for (const name of all('alias')) made.names.push({ name, quality: 'alias' });
  for (const name of all('weakAlias')) made.names.push({ name, quality: 'weak' });
  made.birthDates.push(
    ...all('birthDate')
      .map(birthSpan)
      .filter((span) => span !== null),
  );
  made.nationalities.push(...all('nationality').map(countryIn));
  made.countries.push(...all('country').map(countryIn));
  made.gender = genderIn(all('gender')[0]);
  for (const value of all('idNumber')) made.identifiers.push({ type: 'registration', value });
  for (const value of all('passportNumber')) made.identifiers.push({ type: 'passport', value });
  for (const value of all('taxNumber')) made.identifiers.push({ type: 'tax_number', value });
  for (const value of all('publicKey')) made.identifiers.push({ type: 'crypto_address', value });
  made.programme = all('program')[0] ?? all('topics')[0] ?? null;
  made.reference = id;
  return entryOf(made);
}
