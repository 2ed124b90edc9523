/** Transfers that wait for people, time or the rail. */
import { openStatuses } from '../../../domain/transfers/transfers.ts';
import { arrayOfWords, bigCount } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { wordList } from '../../rows/words.ts';
import { Transfer } from '../../schema/transfers.ts';
import { SELECT_TRANSFER, transfer } from './transfers.ts';

const OLDEST = `'00000000-0000-0000-0000-000000000000'::uuid`;

/** What waits for a person. */
export const forPeople = ['pending_approval', 'aml_review'] as const;

/** A page of what waits in these statuses, longest waiting first, from after `after`. */
export const pendingTransfers = statement({
  name: 'pendingTransfers',
  takes: {
    statuses: arrayOfWords(openStatuses),
    after: columnsOf(Transfer, 'id').id.nullable(),
    most: bigCount(),
  },
  gives: transfer,
  sql: `
    ${SELECT_TRANSFER} where t.status in ${wordList(openStatuses)} and t.status = any ($statuses)
        and t.id > coalesce($after, ${OLDEST})
      order by t.id limit $most`,
});
