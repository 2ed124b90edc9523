/** The table of docs/cards.md is that of the code. */
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANSWER_REASONS, responseCode } from '../../../domain/cards/payments.ts';

test('the page names every reason in its order, with the code that the network is told', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/cards.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (\w\w)( contactless, 1A remote)? *\|$/gm)];
  expect(rows.map(([, reason, code]) => [reason, code])).toEqual(
    ANSWER_REASONS.map((reason) => [
      reason,
      responseCode(reason, { entry_mode: 'contactless', purpose: 'purchase' }),
    ]),
  );
  const remote = { entry_mode: 'ecommerce', purpose: 'purchase' } as const;
  expect(responseCode('sca_required', remote)).toBe('1A');
  expect(responseCode('sca_required', { ...remote, purpose: 'cash' })).toBe('65');
});
