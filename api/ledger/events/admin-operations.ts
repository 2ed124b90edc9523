/** The books as a feed, for whoever must follow them: a data warehouse, a general ledger, a fraud engine. */
import { z } from 'zod';
import {
  ledgerEvents,
  settledPosition,
  type LedgerEventRow,
} from '../../../db/queries/ledger/ledger-events.ts';
import { moneyIn } from '../../../domain/money.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

export const listLedgerEvents = forAdmins({
  id: 'listLedgerEvents',
  area: 'Admin finance',
  title: 'Read ledger events',
  description:
    'Lists every ledger transaction, in an order that never changes: nothing is inserted before what you have already read. Store `next_after` together with what you made of the items, and pass it as `after` in the next call. Each transaction then comes at least once, and those of one account come in the order of its entries. The transactions of the last few milliseconds may only come with the next call.',
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
    return { items: found.map(eventView), next_after: found.at(-1)?.position.toString() ?? after };
  },
});

const view = viewOf(wire.LedgerEvent);
const entryView = viewOf(wire.Entry);

function eventView(event: LedgerEventRow): z.output<typeof wire.LedgerEvent> {
  const entries = event.entries.map((entry) => {
    const money = moneyIn(entry.asset);
    return entryView({ ...entry, amount: money(entry.amount), balanceAfter: money(entry.balanceAfter) });
  });
  return view({ ...event, position: event.position.toString(), entries });
}

/** In the order of the documentation. */
export const operations = [listLedgerEvents];
