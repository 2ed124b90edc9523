/** Searching what the caller has: movements and recipients. */
import { searchOf } from '../../../services/ledger/search.ts';
import { forUsers } from '../../declaration/operation.ts';
import { recipientView } from '../../transfers/recipients/views.ts';
import { transactionView } from '../views.ts';
import { searchQuery, SearchResponse } from './schemas.ts';

export const search = forUsers({
  id: 'search',
  area: 'Finance',
  title: 'Search transactions and recipients',
  description:
    'Searches the descriptions and counterparties of the caller’s movements, and the recipients whom the caller has paid. Accents, case and small misspellings do not matter. A movement is found as soon as it is booked.',
  method: 'GET',
  path: '/v1/search',
  effect: 'read',
  query: searchQuery,
  status: 200,
  answer: SearchResponse,
  refuses: [],
  async handle({ caller, query: { q, limit }, db }) {
    const { entries, recipients } = await searchOf(db, caller.id, q, limit);
    return {
      transactions: entries.map(({ match, found }) => ({ match, transaction: transactionView(found) })),
      recipients: recipients.map(({ match, found }) => ({ match, recipient: recipientView(found) })),
    };
  },
});

/** In the order of the documentation. */
export const operations = [search];
