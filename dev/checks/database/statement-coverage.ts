/** Which statements of the functions in db/functions/ nothing has run yet, by what PostgreSQL has counted. */
import { scanSync, type ScanToken } from 'libpg-query';
import type pg from 'pg';
import { definitions, sqlFiles } from './function-check.ts';
import { executedStatements } from './plpgsql-statements.ts';

/**
 * Names every statement of a function that is not among those that have `run`; needs a migrated database. A function of plain SQL has
 * run if its text has, or if a statement that has run calls it: PostgreSQL puts the text of a simple one into its caller.
 */
export async function statementsNeverRun(client: pg.Client, run: readonly string[]): Promise<string[]> {
  const texts = new Set(run.map(inOneLine));
  const patterns = run.map(patternOf);
  const embedded = await executedStatements(client);
  const never = embedded.filter(({ sql }) => {
    // recorded as it stands, because it has no constants
    if (texts.has(inOneLine(sql))) return false;
    const words = wordsOf(sql)
      .map((word) => ` ${wordOf(word)}`)
      .join('');
    return !patterns.some((pattern) => pattern.test(words));
  });
  const named = new Set(
    [...run, ...embedded.map(({ sql }) => sql)].flatMap((sql) => sql.match(/\w+/g) ?? []),
  );
  const plain = (await definitions(sqlFiles().functions)).filter(({ language }) => language === 'sql');
  return [
    ...never.map(({ path, functionName, sql }) => `db/${path}, ${functionName}: ${inOneLine(sql)}`),
    ...plain.filter(({ name }) => !named.has(name)).map(({ path, name }) => `db/${path}, ${name}`),
  ];
}

const inOneLine = (sql: string): string => sql.trim().replace(/\s+/g, ' ');

const CONSTANTS = new Set(['SCONST', 'ICONST', 'FCONST', 'BCONST', 'XCONST', 'USCONST']);
const SHORTENED = '/*, ... */';

/** PostgreSQL records a statement with `$1` in the place of a constant or a variable, and of the first of a list of them. */
function patternOf(recorded: string): RegExp {
  const words = wordsOf(recorded, [SHORTENED]);
  const parts = words.map(({ tokenName, text }, at) => {
    if (text === SHORTENED) return '';
    if (tokenName !== 'PARAM')
      return ` ${wordOf({ tokenName, text }).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`;
    return words[at + 1]?.text === SHORTENED ? ' .+?' : '(?: -)? \\S+';
  });
  return new RegExp(`^${parts.join('')}$`);
}

function wordOf({ tokenName, text }: Pick<ScanToken, 'tokenName' | 'text'>): string {
  return CONSTANTS.has(tokenName) ? "'…'" : text.toLowerCase();
}

/** What the statement consists of, without layout and without comments but those to keep. */
function wordsOf(sql: string, keep: readonly string[] = []): readonly ScanToken[] {
  return tokensOf(sql).filter(({ tokenName, text }) => !tokenName.endsWith('COMMENT') || keep.includes(text));
}

function tokensOf(sql: string): readonly ScanToken[] {
  try {
    return scanSync(sql).tokens;
  } catch {
    // what PostgreSQL has cut short is no statement of ours
    return [];
  }
}
