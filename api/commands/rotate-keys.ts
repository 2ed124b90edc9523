/**
 * `npm run keys:rotate`: another key signs tokens from now on, whenever the last rotation was. Tokens that are out stay valid until they
 * expire. `-- --revoke`, after a leak: all keys are replaced and tokens that are out are refused; clients refresh theirs. Running
 * replicas hear of either at once.
 */
import { parseArgs } from 'node:util';
import { createCipher } from '../../adapters/cipher.ts';
import {
  openSigningKey,
  replaceSigningKeys,
  rotateSigningKeys,
  signingKeys,
} from '../../services/identity/sessions/key-rotation.ts';
import { loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { runCommand } from './command.ts';
import { transaction } from '../../db/transaction.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { revoke: { type: 'boolean', default: false } } });
  const config = loadConfig();
  const cipher = createCipher(config.ENCRYPTION_KEYS);
  const orm = openOrm(config);
  try {
    const em = orm.em.fork();
    // with other ENCRYPTION_KEYS than the service's this fails, before a key is made that the service could not open
    for (const key of await signingKeys(em, cipher)) openSigningKey(key, cipher);
    await transaction(em, async (tx) => {
      if (values.revoke) await replaceSigningKeys(tx, cipher);
      else await rotateSigningKeys(tx, cipher, { minimumDays: 0, reason: 'by command' });
    });
    for (const { kid, state } of await signingKeys(orm.em.fork(), cipher))
      process.stdout.write(`${state.padEnd(8)} ${kid}\n`);
  } finally {
    await orm.close(true);
  }
}

await runCommand(main);
