/** Wire schemas of the search. */
import { z } from 'zod';
import { SearchText, Transaction } from '../schemas.ts';
import { exampleOf, named } from '../../wire/naming.ts';
import { RecentRecipient } from '../../transfers/recipients/schemas.ts';

export const searchQuery = z.strictObject({
  q: SearchText.describe(
    'Words, in any script; all of them must be there. A word may be a beginning, or be spelt almost so.',
  ),
  limit: z.coerce.number().int().min(1).max(50).default(20).describe('Items of each kind, 1 to 50.'),
});

const match = z
  .enum(['exact', 'similar'])
  .describe('`exact`: the words or their beginnings are there; `similar`: others that are spelt almost so.');

export const SearchResponse = named(
  'SearchResponse',
  z.strictObject({
    transactions: z
      .array(z.strictObject({ match, transaction: Transaction }))
      .describe('Exact ones first, each newest first.'),
    recipients: z.array(z.strictObject({ match, recipient: RecentRecipient })),
  }),
  {
    transactions: [{ match: 'exact', transaction: z.parse(Transaction, exampleOf(Transaction)) }],
    recipients: [{ match: 'similar', recipient: z.parse(RecentRecipient, exampleOf(RecentRecipient)) }],
  },
);
