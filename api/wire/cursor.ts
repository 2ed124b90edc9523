/** Keyset pagination: the opaque cursor that names the last item of a page by its sort key. */
import { z } from 'zod';

/** How one list is paged. */
export interface Keyset<Key> {
  /** Reads a cursor of this list; a forged one, or one of another list, is a fault of the request. */
  readonly cursor: z.ZodType<Key, string>;
  /**
   * Cuts a page of `limit` out of `limit + 1` found rows: the row too many tells that there is a next page.
   * `keyOf` names a row's place in the order; `view` makes the item of it.
   */
  page<Row, Item>(
    found: readonly Row[],
    limit: number,
    keyOf: (row: Row) => Key,
    view: (row: Row) => Item,
  ): { items: Item[]; next_cursor: string | null };
}

/**
 * Declares how a list is paged. `list` is its name, so that no other list takes its cursors; `key` is the JSON form of the
 * sort key with the id as its last part: `keyset('transfers', z.tuple([Timestamp, TransferId]))`.
 * A cursor is not signed: it only says where to read on, the owner is still in the query.
 */
export function keyset<Key>(list: string, key: z.core.$ZodType<Key>): Keyset<Key> {
  const content = z.tuple([z.literal(list), key]);
  return {
    cursor: z
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
      }),
    page(found, limit, keyOf, view) {
      const shown = found.slice(0, limit);
      const last = found.length > limit ? shown.at(-1) : undefined;
      const next =
        last === undefined ? null : Buffer.from(JSON.stringify([list, keyOf(last)])).toString('base64url');
      return { items: shown.map(view), next_cursor: next };
    },
  };
}

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
