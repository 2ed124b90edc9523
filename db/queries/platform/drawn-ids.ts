/** Ids that the database makes, for what is not made in the database itself. */
import { id } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

/** A new UUID of version 7, so that rows stand in the order of their making. */
export const drawnId = statement({ name: 'drawnId', gives: { id: id() }, sql: 'select uuidv7() as id' });
