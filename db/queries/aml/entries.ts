/** The entries of the lists in force. */
import { LIST_SOURCES } from '../../../domain/screening/lists.ts';
import { bigCount, oneOf, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { ScreeningEntry } from '../../schema/screening.ts';

const entry = columnsOf(
  ScreeningEntry,
  ...(['id', 'ref', 'kind', 'names', 'details', 'programme', 'reference', 'sinceVersion'] as const),
);
export type ListEntryRow = RowOf<typeof entry>;

/** A page of the entries of a source by their ids, from after `after`. */
export const entriesInForce = statement({
  name: 'entriesInForce',
  takes: { source: oneOf(LIST_SOURCES), after: entry.id, most: bigCount() },
  gives: entry,
  sql: `
    select ${selectList(entry, 'e')} from screening_entries e
     where e.source = $source and e.removed_version is null and e.id > $after order by e.id limit $most`,
});
