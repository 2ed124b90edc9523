/** The inbox of the custodian’s webhooks, and until when the bank knows what has changed there. Functions of the database write them. */
import type { CustodyEventId } from '../../../domain/ids.ts';
import { boolean, bytes, id, idArray, integer, moment, oneOf, text } from '../../rows/columns.ts';
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

/** Takes events that wait for so many seconds. `resource` is the transaction that they are about. */
export const claimEvents = statement({
  name: 'claimEvents',
  takes: { most: integer(), seconds: integer() },
  gives: { id: id<CustodyEventId>(), resource: text(), ageSeconds: integer() },
  sql: 'select id, resource, age_seconds from custody_events_claim($most, $seconds)',
});

/** Ends work on events; those that are `waiting` again are taken at once. */
export const endEvents = statement({
  name: 'endEvents',
  takes: { events: idArray<CustodyEventId>(), outcome: oneOf(['done', 'waiting']) },
  gives: {},
  sql: 'select from custody_events_end($events, $outcome)',
});

/** Puts aside a transaction that the bank cannot take in. `isNew` if it was not aside before. */
export const putAside = statement({
  name: 'putAside',
  takes: { transfer: text(), content: bytes(), why: text() },
  gives: { isNew: boolean() },
  sql: 'select custody_transfer_aside($transfer, $content, $why) as is_new',
});

/** Since when to ask the custodian for changes; null if another worker has asked within so many seconds. */
export const beginPoll = statement({
  name: 'beginPoll',
  takes: { seconds: integer() },
  gives: { since: moment().nullable() },
  sql: 'select custody_poll_begin($seconds) as since',
});

export const endPoll = statement({
  name: 'endPoll',
  takes: { until: moment() },
  gives: {},
  sql: 'select from custody_poll_end($until)',
});
