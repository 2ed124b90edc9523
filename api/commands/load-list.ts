/**
 * `npm run lists:load -- SOURCE FILES…`: brings a sanctions list into force from its files, and prints the load as one line of JSON.
 * A broken file changes nothing. A file in which more than a tenth of the entries is missing waits for an administrator.
 */
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { LIST_SOURCES } from '../../domain/screening/lists.ts';
import { loadList } from '../../services/aml/load-list.ts';
import { listLoadView } from '../aml/screening/list-views.ts';
import { runCommand } from './command.ts';

async function main(): Promise<void> {
  const [name, ...paths] = parseArgs({ allowPositionals: true }).positionals;
  const source = LIST_SOURCES.find((known) => known === name);
  if (source === undefined || paths.length === 0)
    throw new ConfigError(
      `Give a source and its files: npm run lists:load -- <${LIST_SOURCES.join('|')}> <files…>`,
    );
  const orm = openOrm(loadConfig());
  try {
    const load = await loadList(() => orm.em.fork(), source, paths);
    process.stdout.write(`${JSON.stringify(listLoadView(load))}\n`);
    if (load.status === 'refused') process.exitCode = 1;
  } finally {
    await orm.close(true);
  }
}

await runCommand(main, (error) =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT' ? error.message : undefined,
);
