/** The ring of card keys as a process needs it: whole, or the process does not start. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { createCardVault, type CardVault } from '../../adapters/card-vault.ts';
import { ConfigError, type Config } from '../../config.ts';
import { cardKeysInUse } from '../../db/queries/cards/keys.ts';

/** The vault of cards. Throws ConfigError if a key is missing that a card needs: each of its payments would be declined as unknown. */
export async function openCardVault(
  { CARD_KEYS }: Pick<Config, 'CARD_KEYS'>,
  db: EntityManager,
): Promise<CardVault> {
  const vault = createCardVault(CARD_KEYS);
  const { keys } = await cardKeysInUse.one(db);
  const missing = keys.filter((key) => !vault.keyIds.includes(key));
  if (missing.length > 0)
    throw new ConfigError(
      `  CARD_KEYS: lacks ${missing.join(', ')}, with which numbers or PINs of cards in use were made`,
    );
  return vault;
}
