/** What a reader of a list gives: when the list was published, and its entries one by one. */
import type { ListedEntry } from '../../domain/screening/lists.ts';

export type ListItem = { readonly publishedAt: string | null } | { readonly entry: ListedEntry | null };

/** Reads a list from its files. Throws a ListFault where one is broken. */
export type ListReader = (paths: readonly string[]) => AsyncGenerator<ListItem>;
