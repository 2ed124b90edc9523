/** Ids for rows whose content depends on their own id, such as what is sealed for its place. */
import { id } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

/** An id that sorts by the time it was made. The caller says what it identifies. */
export const newId = statement({ name: 'newId', gives: { id: id() }, sql: 'select uuidv7() as id' });
