/** Lists and matches as the wire shows them. */
import type { z } from 'zod';
import type { ListLoadRow } from '../../../db/queries/aml/list-loads.ts';
import { now } from '../../../domain/time/now.ts';
import type { ListMatch } from '../../../services/aml/search.ts';
import type * as wire from './list-schemas.ts';
import { comparisonView } from './views.ts';

const DAY_MILLISECONDS = 86_400_000;

/** A load. Without `maxAgeDays` none is stale. */
export function listLoadView(row: ListLoadRow, maxAgeDays = Infinity): z.output<typeof wire.ScreeningList> {
  const { id, source, version, status, checksum, counts, added, changed, removed } = row;
  const age = now().getTime() - (row.publishedAt ?? row.createdAt).getTime();
  return {
    ...{ id, source, version, status, checksum, counts, added, changed, removed },
    published_at: row.publishedAt,
    ...(row.error === null ? {} : { error: row.error }),
    agreed_by: row.agreedBy,
    loaded_at: row.loadedAt,
    created_at: row.createdAt,
    stale: status === 'loaded' && age > maxAgeDays * DAY_MILLISECONDS,
  };
}

/** A match of a search. */
export function matchView({ source, version, entry, comparison }: ListMatch, threshold: number) {
  return {
    list: source,
    list_version: version,
    entry_id: entry.ref,
    programme: entry.programme,
    reference: entry.reference,
    ...comparisonView(comparison, threshold),
  };
}
