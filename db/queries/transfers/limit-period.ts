/** The period of a limit in which a moment lies, as the counters reckon it. */
import { moment, text } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

/** Without a beginning or an end where the period has none. */
export const limitPeriod = statement({
  name: 'limitPeriod',
  takes: { period: text(), at: moment() },
  gives: { from: moment().nullable(), until: moment().nullable() },
  sql: `
    select nullif(p.begins, '-infinity') as "from", nullif(p.ends, 'infinity') as until
      from limit_period($period, $at) p`,
});
