/** Which keys cards were made with. */
import { textArray } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

/** Ids of the keys with which numbers and PINs were made that may still be asked for. */
export const cardKeysInUse = statement({
  name: 'cardKeysInUse',
  takes: {},
  gives: { keys: textArray() },
  sql: 'select card_keys_in_use() as keys',
});
