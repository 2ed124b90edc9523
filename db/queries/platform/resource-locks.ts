/** Locks on resources that a request changes. */
import { text } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

/** Waits until no other transaction holds the lock of this name, and keeps it until this one ends. */
export const lockResource = statement({
  name: 'lockResource',
  takes: { name: text() },
  gives: {},
  sql: 'select from pg_advisory_xact_lock(hashtextextended($name, 7355608))',
});
