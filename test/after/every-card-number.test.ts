/** No number of any card that all other tests have issued stands in clear anywhere. Runs after them; alone it fails. */
import { afterAll, expect, test } from '@jest/globals';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { createCardVault } from '../../adapters/card-vault.ts';
import { loadConfig } from '../../config.ts';
import { stack } from '../support/stack/stack.ts';

const banks = stack.ownerUrls.map((url) => new pg.Pool({ connectionString: url, max: 1 }));
afterAll(() => Promise.all(banks.map((owner) => owner.end())));

const DIGITS = 16;
/** A number, also in groups of four. Nobody writes a digit before or after it. */
const NUMBERS = /(?<!\d)\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}(?!\d)/g;
/** More than a number that is cut in two by the end of a piece. */
const OVERLAP = 32;

const Secret = z.object({ card_id: z.string(), sealed_number: z.instanceof(Buffer) });

/** The numbers that tests may have used, which are those under the key ring of the stack. */
async function numbersOf(owner: pg.Pool): Promise<string[]> {
  const vault = createCardVault(loadConfig(stack.serviceEnv).CARD_KEYS);
  const { rows } = await owner.query('select card_id, sealed_number from card_secrets');
  return z
    .array(Secret)
    .parse(rows)
    .flatMap(({ card_id: card, sealed_number: sealed }) => {
      try {
        return [vault.open(sealed, card)];
      } catch {
        // put there by a test, as bytes of its own
        return [];
      }
    });
}

/** Which of these numbers a text holds. */
const within = (text: string, numbers: ReadonlySet<string>): string[] =>
  [...text.matchAll(NUMBERS)]
    .map(([found]) => found.replace(/[ -]/g, ''))
    .filter((found) => numbers.has(found));

async function withinFile(file: string, numbers: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  let before = '';
  for await (const piece of createReadStream(file, { encoding: 'latin1', highWaterMark: 1 << 20 })) {
    const text = before + z.string().parse(piece);
    found.push(...within(text, numbers));
    before = text.slice(-OVERLAP);
  }
  return found;
}

async function withinTables(owner: pg.Pool, numbers: ReadonlySet<string>): Promise<string[]> {
  const tables = await owner.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables.rows) {
    // what has no sixteen digits in a row, or in groups, stays in the database
    const { rows } = await owner.query<{ row: string }>(
      `select t::text as row from ${name} t where t::text ~ '[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}'`,
    );
    found.push(...rows.flatMap(({ row }) => within(row, numbers)).map(() => name));
  }
  return found;
}

/** What all parts of the run have written beside the rows of PostgreSQL: logs, histories of Temporal, the store. */
const files = (): string[] =>
  readdirSync(stack.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/[/\\](postgres|branch-[^/\\]+)[/\\]/.test(file.slice(stack.folder.length)));

test('no number of a card stands in a table, a log, a history, the store or the mail of any test', async () => {
  const numbers = new Set((await Promise.all(banks.map(numbersOf))).flat());
  expect(numbers.size).toBeGreaterThan(100);
  expect([...numbers].every((number) => number.length === DIGITS)).toBe(true);
  const [first = ''] = numbers;
  // the search itself finds what it looks for
  expect(within(`"pan":"${first}" ${first.replace(/(\d{4})(?=\d)/g, '$1 ')}`, numbers)).toHaveLength(2);

  const mail = await (await fetch(`${stack.inboxUrl}/email`)).text();
  const tables = await Promise.all(banks.map((owner) => withinTables(owner, numbers)));
  const found = await Promise.all(
    files().map(async (file) => (await withinFile(file, numbers)).map(() => file)),
  );
  expect({
    tables: tables.flat(),
    mail: within(mail, numbers).length,
    files: [...new Set(found.flat())],
  }).toEqual({ tables: [], mail: 0, files: [] });
});
