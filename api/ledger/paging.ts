/** Pages of an account's movements, in both directions: `next_cursor` reads on, `prev_cursor` reads back, in the order asked for. */
import { z } from 'zod';
import type { EntryRow } from '../../db/queries/ledger/entries.ts';
import { keyset } from '../wire/cursor.ts';

const Sequence = z.string().regex(/^\d{1,18}$/);

/** A cursor names an entry, the order it was read in, and the side of it where to read on. */
const Place = z.tuple([z.enum(['after', 'before']), z.enum(['asc', 'desc']), Sequence]);
export type Place = z.output<typeof Place>;
export const bySequence = keyset('transactions', Place, (place: Place) => place);

/** How to read the entries of a page from the books. */
export interface Reading {
  readonly order: 'asc' | 'desc';
  readonly beyond: bigint | null;
  readonly back: boolean;
}

/** A cursor of one order read in the other turns round at its entry. */
export function readingOf(cursor: Place | undefined, order: 'asc' | 'desc'): Reading {
  const back = cursor !== undefined && (cursor[0] === 'before') === (cursor[1] === order);
  const opposite = order === 'asc' ? 'desc' : 'asc';
  return { order: back ? opposite : order, beyond: cursor === undefined ? null : BigInt(cursor[2]), back };
}

/** Cuts the page out of the `limit + 1` entries found, and says where to read on and back. */
export function pageOf<Item>(
  found: readonly EntryRow[],
  { order, limit, cursor }: { order: 'asc' | 'desc'; limit: number; cursor?: Place | undefined },
  view: (entry: EntryRow) => Item,
): { items: Item[]; next_cursor: string | null; prev_cursor: string | null } {
  const { back } = readingOf(cursor, order);
  const more = found.length > limit;
  const shown = back ? found.slice(0, limit).toReversed() : found.slice(0, limit);
  const at = (side: 'after' | 'before', entry: EntryRow | undefined): string | null =>
    entry === undefined ? null : bySequence.cursorAt([side, order, String(entry.seq)]);
  return {
    items: shown.map(view),
    // whoever reads back came from there; whoever reads on came from the other side
    next_cursor: back || more ? at('after', shown.at(-1)) : null,
    prev_cursor: (back && more) || (!back && cursor !== undefined) ? at('before', shown[0]) : null,
  };
}
