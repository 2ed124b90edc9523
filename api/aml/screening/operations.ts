/** Names against lists: what the matcher says, and why. */
import { compare, prepareAsked, prepareEntry } from '../../../domain/matching/compare.ts';
import { forAdmins } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';
import { askedIn, comparisonView, entryIn } from './views.ts';

export const compareScreeningNames = forAdmins({
  id: 'compareScreeningNames',
  area: 'Admin AML',
  title: 'Compare names',
  description:
    'Compares names in pairs by the code that screens customers and payments, and explains each score. Nothing is kept.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/admin/aml/screening/compare',
  effect: 'own_transactions',
  permission: 'aml:read',
  body: wire.ScreeningComparison,
  status: 200,
  answer: wire.ScreeningComparisonAnswer,
  refuses: [],
  beyond: true,
  handle({ body }, { config }) {
    const results = body.pairs.map(({ asked, entry }) =>
      comparisonView(
        compare(prepareAsked(askedIn(asked)), prepareEntry(entryIn(entry))),
        config.AML_MATCH_THRESHOLD,
      ),
    );
    return Promise.resolve({ results });
  },
});

/** In the order of the documentation. */
export const operations = [compareScreeningNames];
