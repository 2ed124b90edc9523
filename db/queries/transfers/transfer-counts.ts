/** How many transfers there are. */
import {
  transferKinds,
  type TransferKind,
  type TransferStatus,
} from '../../../domain/transfers/transfers.ts';
import { integer } from '../../rows/columns.ts';
import { composedStatement, narrowedTo } from '../../rows/composed.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { Transfer } from '../../schema/transfers.ts';

/** What is left out is not narrowed to. */
export interface CountFilter {
  readonly kind?: TransferKind | undefined;
  readonly status?: TransferStatus | undefined;
  readonly type?: string | undefined;
}

/** By status, counted in an index that holds no more than what is counted by. */
export const countTransfers = composedStatement({
  name: 'countTransfers',
  gives: { ...columnsOf(Transfer, 'status'), count: integer() },
  compose({ kind, status, type }: CountFilter, bind) {
    const narrowed = narrowedTo({ 'status =': status, 'type_code =': type }, bind);
    return `
      select status, count(*)::int as count from transfers
       where kind = any (${bind(kind === undefined ? transferKinds : [kind])}) and ${narrowed} group by status order by status`;
  },
  examples: [{}, { kind: 'transfer', status: 'queued', type: 'sepa' }],
});
