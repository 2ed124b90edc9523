/** Lists of one table, newest first, narrowed to what a filter gives. */
import type { EntitySchemaWithMeta } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { columnName, type Column, type Columns, type RowOf } from './columns.ts';
import { LAST_ID, composedStatement, narrowedTo } from './composed.ts';
import { selectList } from './table-columns.ts';

interface Listed extends Columns {
  readonly id: Column<string>;
}

/**
 * Declares a page of a table by its ids, newest first. It reads so many rows at most, from below `before`, or from the newest if that
 * is null; of the columns `by` the filter narrows to what it gives.
 */
export function pageOf<const Gives extends Listed, const By extends keyof Gives & string>(of: {
  readonly name: string;
  readonly table: EntitySchemaWithMeta;
  readonly gives: Gives;
  readonly by: readonly By[];
}) {
  interface Wanted {
    readonly value: (column: By) => unknown;
    readonly before: unknown;
    readonly most: number;
  }
  const page = composedStatement({
    name: of.name,
    gives: of.gives,
    compose: ({ value, before, most }: Wanted, bind) => {
      const equal = of.by.map((column) => [`t.${columnName(column)} =`, value(column)] as const);
      const narrowed = narrowedTo({ ...Object.fromEntries(equal), 't.id <': before ?? undefined }, bind);
      return `
        select ${selectList(of.gives, 't')} from ${of.table.meta.tableName} t
         where ${narrowed} order by t.id desc limit ${bind(most)}`;
    },
    examples: [
      { value: () => undefined, before: null, most: 1 },
      { value: () => null, before: LAST_ID, most: 1 },
    ],
  });
  return (
    db: EntityManager,
    filter: { readonly [Name in By]?: RowOf<Gives>[Name] | undefined },
    before: RowOf<Gives>['id'] | null,
    most: number,
  ): Promise<RowOf<Gives>[]> => {
    const value = (column: By): unknown => {
      const wanted = filter[column];
      return wanted === undefined ? undefined : of.gives[column]?.write(wanted);
    };
    return page.all(db, { value, before, most });
  };
}
