/** Whether PostgreSQL answers. */
import { integer } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

/** Throws if the database does not answer. */
export const askDatabase = statement({
  name: 'askDatabase',
  gives: { one: integer() },
  sql: 'select 1 as one',
});
