/**
 * The functions and triggers of `db/functions/`: one file per subject, whose text is the text in the database. A file is applied
 * again when it has changed since it was last applied. Functions call each other across files, and PL/pgSQL looks a call up when it
 * runs but SQL when it is created; so that no order is needed, bodies are checked after the last file instead of one by one.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const FOLDER = join(import.meta.dirname, '..', 'functions');

export interface FunctionFile {
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text. */
  readonly hash: string;
}

/** Runs SQL in the transaction of the migration. */
export type Execute = (sql: string, parameters?: readonly unknown[]) => Promise<unknown[]>;

export function functionFiles(): readonly FunctionFile[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(FOLDER, name), 'utf8');
      return { name, text, hash: createHash('sha256').update(text).digest('hex') };
    });
}

const Applied = z.array(z.object({ file: z.string(), hash: z.string() }));

/** Applies the files that have changed and returns their names. A text that PostgreSQL refuses leaves everything as it was. */
export async function applyFunctions(
  execute: Execute,
  files: readonly FunctionFile[],
  release: string,
): Promise<string[]> {
  await execute(`create table if not exists schema_functions (
    file text primary key, hash text not null, release text not null, applied_at timestamptz(3) not null default now())`);
  const applied = Applied.parse(await execute('select file, hash from schema_functions'));
  const hashes = new Map(applied.map(({ file, hash }) => [file, hash]));
  const changed = files.filter(({ name, hash }) => hashes.get(name) !== hash);
  // what a migration has changed is checked by the triggers of before, which the files may replace
  await execute('set constraints all immediate');
  await execute('set local check_function_bodies = off');
  for (const file of changed) await apply(execute, file, release);
  for (const { file } of applied)
    if (!files.some(({ name }) => name === file))
      await execute('delete from schema_functions where file = ?', [file]);
  await execute('set local check_function_bodies = on');
  await checkBodies(execute);
  return changed.map(({ name }) => name);
}

async function apply(execute: Execute, { name, text, hash }: FunctionFile, release: string): Promise<void> {
  try {
    await execute(text);
  } catch (error) {
    throw new Error(`db/functions/${name}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  await execute(
    `insert into schema_functions (file, hash, release) values (?, ?, ?)
      on conflict (file) do update set hash = excluded.hash, release = excluded.release, applied_at = excluded.applied_at`,
    [name, hash, release],
  );
}

/** All of them, also those of unchanged files: a migration may have changed a table under them. */
async function checkBodies(execute: Execute): Promise<void> {
  await execute(`
    select case l.lanname when 'sql' then fmgr_sql_validator(p.oid) else plpgsql_validator(p.oid) end
      from pg_proc p join pg_language l on l.oid = p.prolang
     where p.pronamespace = 'public'::regnamespace and p.proowner = current_user::regrole and l.lanname in ('sql', 'plpgsql')`);
}
