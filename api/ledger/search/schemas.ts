/** Wire schemas of the search. */
import { z } from 'zod';
import { SearchText, Transaction } from '../schemas.ts';
import { named, shown } from '../../wire/naming.ts';
import { RecentRecipient } from '../../transfers/recipients/schemas.ts';

export const searchQuery = z.strictObject({
  q: SearchText.describe(
    'Words in any script, all of which must match. A word also matches one that begins with it or is spelt almost the same.',
  ),
  limit: z.coerce.number().int().min(1).max(50).default(20).describe('Items of each kind, 1 to 50.'),
});

const match = z
  .enum(['exact', 'similar'])
  .describe(
    '`exact`: the words or words that begin with them; `similar`: words that are spelt almost the same.',
  );

// an example is documentation and test data; it is checked against its schema by the contract tests

export const SearchResponse = named(
  'SearchResponse',
  z.strictObject({
    transactions: z
      .array(z.strictObject({ match, transaction: Transaction }))
      .describe('Exact ones first, each newest first.'),
    recipients: z.array(z.strictObject({ match, recipient: RecentRecipient })),
  }),
  {
    transactions: [{ match: 'exact', transaction: shown(Transaction) }],
    recipients: [{ match: 'similar', recipient: shown(RecentRecipient) }],
  },
);
