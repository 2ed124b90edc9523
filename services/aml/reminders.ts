/** Reminding reviewers of flags before they are due. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../adapters/cipher.ts';
import { remindOfFlags } from '../../db/queries/aml/flags.ts';
import { transaction } from '../../db/transaction.ts';
import { notify } from '../notifications/events.ts';

/** Half the time of a critical flag. */
const BUSINESS_HOURS_BEFORE = 2;
/** Of a transaction, which tells every reviewer of each. */
const MOST = 20;

/** Tells whoever has a flag that is due soon, or all who may review, once. Any number of workers may do it at once. */
export async function remindReviewers(deps: {
  readonly em: () => EntityManager;
  readonly cipher: Cipher;
}): Promise<void> {
  const round = (tx: EntityManager): Promise<number> => remindOnce(tx, deps.cipher);
  while ((await transaction(deps.em(), round)) === MOST);
}

async function remindOnce(tx: EntityManager, cipher: Cipher): Promise<number> {
  const told = await remindOfFlags.all(tx, { hours: String(BUSINESS_HOURS_BEFORE), most: MOST });
  for (const { number, severity, due, person, locale } of told) {
    const values = { number: String(number), severity, due };
    await notify(tx, cipher, { userId: person, type: 'aml_flag_due', locale, values });
  }
  return new Set(told.map(({ flag }) => flag)).size;
}
