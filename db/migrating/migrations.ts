/** The migrations of `db/migrations/`, oldest first. Forward only: a landed one is never edited (`landed.json`). */
import { Migration } from '@mikro-orm/migrations';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', 'migrations');

/** The schema as the migrations up to 0031 had left it. Nothing had been released, so they were made into one. */
export const BASELINE = '0032-baseline';
const LAST_BEFORE_BASELINE = '0031-value-days-and-locks';

/** The database is not one that this release can migrate; the message says why and what to do. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
}

/** The files of SQL by their paths in `db/migrations/`; a long migration is a folder, whose files run in order of their names. */
export function migrationFiles(): ReadonlyMap<string, string> {
  const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.sql'));
  return new Map(paths.sort().map((path) => [path, readFileSync(join(FOLDER, path), 'utf8')]));
}

/** As MikroORM's migrator runs them: each file's text is one query of its migration. */
export function migrations(): { name: string; class: new (...given: MigrationParameters) => Migration }[] {
  const texts = Map.groupBy(migrationFiles(), ([path]) => path.replace(/\/.*|\.sql$/, ''));
  return [...texts].map(([name, files]) => ({
    name,
    class: class extends Migration {
      override up(): void {
        for (const [, text] of files) this.addSql(text);
      }
    },
  }));
}

type MigrationParameters = ConstructorParameters<typeof Migration>;

/**
 * Whether the database already is what the baseline would make it. Throws `MigrationRefused` for a database that is older than what
 * can be adopted, and for one that has seen a migration which this release does not know.
 */
export function adoptsBaseline(recorded: readonly string[], known: readonly string[]): boolean {
  const unknown = recorded.filter((name) => name >= BASELINE && !known.includes(name));
  if (unknown.length > 0) {
    throw new MigrationRefused(
      `The database has run ${unknown.join(', ')}, which this release does not know: a newer release has migrated it. ` +
        'Run that release, or restore a backup from before it.',
    );
  }
  const before = recorded.filter((name) => name < BASELINE);
  if (before.length === 0 || recorded.includes(BASELINE)) return false;
  if (!before.includes(LAST_BEFORE_BASELINE)) {
    throw new MigrationRefused(
      `The database has run migrations up to ${before.at(-1)} only, and this release takes over from ${LAST_BEFORE_BASELINE}. ` +
        `Migrate it first with the last revision of the code that has ${LAST_BEFORE_BASELINE}, or start with an empty database.`,
    );
  }
  return true;
}
