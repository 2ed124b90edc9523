/** How many transfers there are. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { transferKinds, type TransferKind, type TransferStatus } from '../../../domain/transfers.ts';
import { rows } from '../../sql.ts';

/** What is left out is not narrowed to. */
export interface CountFilter {
  readonly kind?: TransferKind | undefined;
  readonly status?: TransferStatus | undefined;
  readonly type?: string | undefined;
}

/** By status, counted in an index that holds no more than what is counted by. */
export function countTransfers(
  em: EntityManager,
  { kind, status, type }: CountFilter,
): Promise<{ status: TransferStatus; count: number }[]> {
  return rows(
    em,
    `select status, count(*)::int as count from transfers
      where kind = any ($1) and ($2::text is null or status = $2) and ($3::text is null or type_code = $3) group by status order by status`,
    [kind === undefined ? transferKinds : [kind], status ?? null, type ?? null],
  );
}
