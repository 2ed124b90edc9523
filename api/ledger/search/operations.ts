/** Searching what the caller has: movements and recipients. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { entriesByKey } from '../../../db/queries/ledger/entries.ts';
import { recipientsLike, type RecipientRow } from '../../../db/queries/transfers/recipients.ts';
import { entriesWith, wordsLike, type EntryKey } from '../../../db/queries/ledger/search.ts';
import type { UserId } from '../../../domain/ids.ts';
import { transactionView } from '../views.ts';
import { forUsers } from '../../declaration/operation.ts';
import { recipientView } from '../../transfers/recipients/views.ts';
import { searchQuery, SearchResponse } from './schemas.ts';

export const search = forUsers({
  id: 'search',
  area: 'Finance',
  title: 'Search transactions and recipients',
  description:
    'The caller’s own data only; accents, case and small slips do not matter. Over description and counterparty of your movements, and over whom you have paid. What is booked is found at once.',
  method: 'GET',
  path: '/v1/search',
  effect: 'read',
  query: searchQuery,
  status: 200,
  answer: SearchResponse,
  refuses: [],
  async handle({ caller, query: { q, limit }, db }) {
    const keys = await ranked(limit, keyOf, async (closeness) =>
      entriesWith(db, caller.id, await wordsLike(db, caller.id, q, closeness), limit),
    );
    const entries = await entriesByKey.all(db, {
      accounts: keys.map(({ found }) => found.accountId),
      seqs: keys.map(({ found }) => found.seq),
    });
    const recipients = await recipientsOfText(db, caller.id, q, limit);
    const closeness = new Map(keys.map(({ match, found }) => [keyOf(found), match]));
    return {
      transactions: entries.map((entry) => ({
        match: closeness.get(keyOf(entry)) ?? 'similar',
        transaction: transactionView(entry),
      })),
      recipients: recipients.map(({ match, found }) => ({ match, recipient: recipientView(found) })),
    };
  },
});

interface Ranked<Found> {
  readonly match: 'exact' | 'similar';
  readonly found: Found;
}

/** What is spelt so comes first; what is spelt almost so fills what is left. */
async function ranked<Found>(
  limit: number,
  key: (found: Found) => string,
  look: (closeness: 'exact' | 'near') => Promise<Found[]>,
): Promise<Ranked<Found>[]> {
  const exact = await look('exact');
  const first = exact.map((found) => ({ match: 'exact' as const, found }));
  if (exact.length >= limit) return first;
  const known = new Set(exact.map(key));
  const near = (await look('near')).filter((found) => !known.has(key(found)));
  return [...first, ...near.map((found) => ({ match: 'similar' as const, found }))].slice(0, limit);
}

const keyOf = ({ accountId, seq }: EntryKey): string => `${accountId}/${seq}`;

function recipientsOfText(
  db: EntityManager,
  customer: UserId,
  text: string,
  limit: number,
): Promise<Ranked<RecipientRow>[]> {
  return ranked(
    limit,
    ({ transferId }) => transferId,
    (closeness) =>
      recipientsLike.all(db, { customerId: customer, text, near: closeness === 'near', most: limit }),
  );
}

/** In the order of the documentation. */
export const operations = [search];
