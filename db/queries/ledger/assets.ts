/** What the books can hold, as the table says. */
import { text } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { Asset } from '../../schema/accounts.ts';

/** All of them. A kind that a later release has added is text like the others. */
export const allAssets = statement({
  name: 'allAssets',
  gives: { ...columnsOf(Asset, 'code', 'scale'), kind: text() },
  sql: 'select code, kind, scale from assets',
});
