/** The hours in which people of the bank work. */
import { decimal, moment } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

/** The moment at which so many business hours have passed. */
export const businessDue = statement({
  name: 'businessDue',
  takes: { at: moment(), hours: decimal() },
  gives: { at: moment() },
  sql: 'select business_due($at, $hours) as at',
});
