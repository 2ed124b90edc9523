/** For whom a transaction writes. */
import type { UserId } from '../../../domain/ids.ts';
import { id, text, textArray } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

/** Says for whom the transaction acts until it ends: the tables of settings ask whether that person may. */
export const actAs = statement({
  name: 'actAs',
  takes: { actor: id<UserId>() },
  gives: {},
  sql: 'select from act_as($actor)',
});

/** The first of these actions that a person does not hold or may not use; null if all are held. */
export const missingAction = statement({
  name: 'missingAction',
  takes: { person: id<UserId>(), actions: textArray() },
  gives: { missing: text().nullable() },
  sql: 'select missing_action($person, $actions) as missing',
});
