import { Migration } from '@mikro-orm/migrations';
import { searchTables } from './0024-search/tables.ts';
import { searchIsNear, searchTerms } from './0024-search/terms.ts';
import { searchTriggers } from './0024-search/triggers.ts';

/** What customers search: the words of their entries, written in the transaction that writes the entries. */
export class Search extends Migration {
  override up(): void {
    for (const statement of [searchTerms, searchTables, searchIsNear, searchTriggers]) this.addSql(statement);
  }
}
