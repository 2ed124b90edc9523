/** What happens, and who is told of it. */
import type { EventId, UserId } from '../../../domain/ids.ts';
import { bigCount, boolean, bytes, id, text, textArray } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

/** Writes an event with its notification and deliveries. On the channels of its type, if neither `addressed` nor `wanted` says which. */
export const writeEvent = statement({
  name: 'writeEvent',
  takes: {
    id: id<EventId>(),
    type: text(),
    userId: id<UserId>().nullable(),
    locale: text(),
    sealedContent: bytes(),
    addressed: textArray().nullable(),
    wanted: textArray().nullable(),
  },
  gives: { written: boolean() },
  sql: 'select event_write($id, $type, $userId, $locale, $sealedContent, $addressed, $wanted) as written',
});

/** Tells people of events that triggers have written. Answers how many. */
export const tellEvents = statement({
  name: 'tellEvents',
  takes: { most: bigCount() },
  gives: { count: bigCount() },
  sql: 'select events_tell($most) as count',
});
