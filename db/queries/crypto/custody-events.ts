/** The inbox of the custodian's webhooks. A function of the database writes it. */
import type { CustodyEventId } from '../../../domain/ids.ts';
import { boolean, bytes, id, text } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

/** Keeps an event, once. `custodyId` is the custodian's id of it; `flaw` puts it aside. */
export const keepCustodyEvent = statement({
  name: 'keepCustodyEvent',
  takes: {
    ...{ custodyId: text().nullable(), type: text().nullable(), resource: text().nullable() },
    ...{ body: bytes(), flaw: text().nullable() },
  },
  gives: { event: id<CustodyEventId>(), isNew: boolean() },
  sql: 'select event, is_new from custody_event_keep($custodyId, $type, $resource, $body, $flaw)',
});
