/**
 * `npm run trace -- <id>`: everything about a transfer, a ticket, an account request or a change, in the order in which it happened. The id
 * is its own, that of its process, or that of a request, as the access log has it.
 */
import { parseArgs } from 'node:util';
import { createCipher } from '../../adapters/cipher.ts';
import { connectTemporal } from '../../adapters/temporal.ts';
import { ConfigError, loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { runCommand } from './command.ts';
import { trace } from '../../services/platform/trace/trace.ts';

async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [id] = positionals;
  if (id === undefined || positionals.length > 1)
    throw new ConfigError(
      'Give one id: npm run trace -- <id of a transfer, ticket, account request, change, process or request>',
    );
  const config = loadConfig();
  const cipher = createCipher(config.ENCRYPTION_KEYS);
  const orm = openOrm(config);
  const temporal = connectTemporal(config, cipher);
  try {
    const { text, isWhole } = await trace({ db: () => orm.em.fork(), temporal, cipher, config }, id);
    process.stdout.write(text);
    if (!isWhole) process.exitCode = 1;
  } finally {
    await Promise.allSettled([orm.close(true), temporal.close()]);
  }
}

await runCommand(main);
