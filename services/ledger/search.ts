/** Searching a customer's movements and recipients: what is spelt so comes first, what is spelt almost so fills what is left. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { entriesByKey, type EntryRow } from '../../db/queries/ledger/entries.ts';
import { entriesWith, wordsLike, type EntryKey } from '../../db/queries/ledger/search.ts';
import { recipientsLike, type RecipientRow } from '../../db/queries/transfers/recipients.ts';
import type { UserId } from '../../domain/ids.ts';

interface Ranked<Found> {
  readonly match: 'exact' | 'similar';
  readonly found: Found;
}

/** The customer's movements and recipients that have all words of the text, at most `most` of each. */
export async function searchOf(
  db: EntityManager,
  customer: UserId,
  text: string,
  most: number,
): Promise<{ readonly entries: Ranked<EntryRow>[]; readonly recipients: Ranked<RecipientRow>[] }> {
  const keys = await ranked(most, keyOf, async (closeness) =>
    entriesWith(db, customer, await wordsLike(db, customer, text, closeness), most),
  );
  const found = await entriesByKey.all(db, {
    accounts: keys.map((key) => key.found.accountId),
    seqs: keys.map((key) => key.found.seq),
  });
  const matches = new Map(keys.map((key) => [keyOf(key.found), key.match]));
  return {
    entries: found.map((entry) => ({ match: matches.get(keyOf(entry)) ?? 'similar', found: entry })),
    recipients: await ranked(
      most,
      ({ transferId }) => transferId,
      (closeness) => recipientsLike.all(db, { customerId: customer, text, near: closeness === 'near', most }),
    ),
  };
}

async function ranked<Found>(
  most: number,
  key: (found: Found) => string,
  look: (closeness: 'exact' | 'near') => Promise<Found[]>,
): Promise<Ranked<Found>[]> {
  const exact = await look('exact');
  const first = exact.map((found) => ({ match: 'exact' as const, found }));
  if (exact.length >= most) return first;
  const known = new Set(exact.map(key));
  const near = (await look('near')).filter((found) => !known.has(key(found)));
  return [...first, ...near.map((found) => ({ match: 'similar' as const, found }))].slice(0, most);
}

const keyOf = ({ accountId, seq }: EntryKey): string => `${accountId}/${seq}`;
