/** The books as a feed, for whoever must follow them: a data warehouse, a general ledger, a fraud engine. */
import { z } from 'zod';
import {
  ledgerEvents,
  settledPosition,
  type LedgerEventRow,
} from '../../../db/queries/ledger/ledger-events.ts';
import { formatMoney } from '../../../domain/money.ts';
import { forAdmins } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';

export const listLedgerEvents = forAdmins({
  id: 'listLedgerEvents',
  area: 'Admin finance',
  title: 'Read ledger events',
  description:
    'Every ledger transaction, in an order that never changes: nothing appears later before what was read already. Keep `next_after` together with what you made of the items and ask again with it: each transaction comes at least once, those of one account in the order of its entries. The last few milliseconds may be missing until the next call.',
  method: 'GET',
  path: '/v1/admin/ledger/events',
  effect: 'read',
  permission: 'ledger:read',
  beyond: true,
  query: z.strictObject({
    after: z
      .string()
      .regex(/^\d{1,18}$/, 'must be a position')
      .default('0')
      .describe('`next_after` of the call before; left out, from the beginning.'),
    limit: z.coerce.number().int().min(1).max(1_000).default(200),
  }),
  status: 200,
  answer: wire.LedgerEventList,
  refuses: [],
  async handle({ query: { after, limit }, db }) {
    const settled = await settledPosition(db);
    const found =
      settled === undefined
        ? []
        : await ledgerEvents.all(db, { after: BigInt(after), upTo: settled, most: limit });
    return { items: found.map(view), next_after: found.at(-1)?.position.toString() ?? after };
  },
});

function view(event: LedgerEventRow): z.input<typeof wire.LedgerEvent> {
  return {
    position: event.position.toString(),
    id: event.id,
    kind: event.kind,
    source_type: event.sourceType,
    source_id: event.sourceId,
    reverses: event.reverses,
    booked_at: event.bookedAt.toISOString(),
    value_date: event.valueDate,
    description: event.description,
    entries: event.entries.map(({ accountId, account, sequence, part, asset, amount, balanceAfter }) => ({
      account_id: accountId,
      account,
      sequence,
      part,
      amount: formatMoney({ minor: amount, asset }),
      balance_after: formatMoney({ minor: balanceAfter, asset }),
    })),
  };
}

/** In the order of the documentation. */
export const operations = [listLedgerEvents];
