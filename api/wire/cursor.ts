/** Keyset pagination: the opaque cursor that names the last item of a page by its sort key. */
import { z } from 'zod';

/** What the query of every list holds. */
interface PageQuery<Key> {
  readonly limit: number;
  readonly cursor?: Key | undefined;
}

/** How one list is paged. */
export interface Keyset<Key, Row> {
  /** Reads a cursor of this list; a forged one, or one of another list, is a fault of the request. */
  readonly cursor: z.ZodType<Key, string>;
  /** The query of the list: `limit`, `cursor` and these filters; anything else is a fault of the request. */
  query<Filters extends z.ZodRawShape>(filters: Filters): QueryOf<Key, Filters>;
  /**
   * Answers a page. `find` reads from beyond a key, or from the beginning if it is null, so many rows at most: one more than the page
   * shows, which tells that there is a next one. `view` makes an item of a row.
   */
  page<Found extends Row, Item>(
    query: PageQuery<Key>,
    find: (beyond: Key | null, most: number) => Promise<readonly Found[]>,
    view: (row: Found) => Item,
  ): Promise<{ items: Item[]; next_cursor: string | null }>;
  /** The cursor that reads on behind this row. */
  cursorAt(row: Row): string;
}

type QueryOf<Key, Filters extends z.ZodRawShape> = z.ZodObject<
  { limit: z.ZodDefault<z.ZodCoercedNumber>; cursor: z.ZodOptional<z.ZodType<Key, string>> } & Filters,
  z.core.$strict
>;

/**
 * Declares how a list is paged. `list` is its name, so that no other list takes its cursors; `key` is the JSON form of the
 * sort key with the id as its last part, `keyset('transfers', z.tuple([Instant, TransferId]), …)`; `keyOf` names a row's place.
 * A cursor is not signed: it only says where to read on, the owner is still in the query.
 */
export function keyset<Key, Row>(
  list: string,
  key: z.core.$ZodType<Key>,
  keyOf: (row: Row) => Key,
): Keyset<Key, Row> {
  const content = z.tuple([z.literal(list), key]);
  const cursor = z
    .string()
    .max(1_000)
    .transform((text, context) => {
      const read = content.safeParse(decode(text));
      if (read.success) return read.data[1];
      context.issues.push({
        code: 'custom',
        message: 'is not a cursor of this list',
        input: text,
        params: { code: 'invalid_cursor' },
      });
      return z.NEVER;
    });
  const cursorAt = (row: Row): string =>
    Buffer.from(JSON.stringify([list, keyOf(row)])).toString('base64url');
  return {
    cursor,
    cursorAt,
    query: (filters) =>
      z.strictObject({
        limit: z.coerce.number().int().min(1).max(200).default(50).describe('Items a page, 1 to 200.'),
        cursor: cursor.optional().describe('`next_cursor` of the page before.'),
        ...filters,
      }),
    async page(query, find, view) {
      const rows = await find(query.cursor ?? null, query.limit + 1);
      const shown = rows.slice(0, query.limit);
      const last = rows.length > query.limit ? shown.at(-1) : undefined;
      return { items: shown.map(view), next_cursor: last === undefined ? null : cursorAt(last) };
    },
  };
}

/** How a list is paged whose rows are in the order of their ids. */
export function keysetById<Id extends string>(
  list: string,
  id: z.core.$ZodType<Id>,
): Keyset<Id, { readonly id: Id }> {
  return keyset(list, id, (row) => row.id);
}

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
