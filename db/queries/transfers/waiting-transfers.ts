/** Transfers that wait for people, time or the rail. */
import { arrayOfWords, bigCount } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { Transfer } from '../../schema/transfers.ts';
import { SELECT_TRANSFER, transfer } from './transfers.ts';

const OLDEST = `'00000000-0000-0000-0000-000000000000'::uuid`;

/** What waits for a person. */
export const forPeople = ['pending_approval', 'aml_review'] as const;
/** What waits for a person, for time or for the rail. */
export const waitingStatuses = [...forPeople, 'queued', 'submitted'] as const;

/** A page of what waits in these statuses, longest waiting first, from after `after`. */
export const pendingTransfers = statement({
  name: 'pendingTransfers',
  takes: {
    statuses: arrayOfWords(waitingStatuses),
    after: columnsOf(Transfer, 'id').id.nullable(),
    most: bigCount(),
  },
  gives: transfer,
  sql: `
    ${SELECT_TRANSFER} where t.status in ('pending_approval', 'aml_review', 'queued', 'submitted') and t.status = any ($statuses)
        and t.id > coalesce($after, ${OLDEST})
      order by t.id limit $most`,
});
