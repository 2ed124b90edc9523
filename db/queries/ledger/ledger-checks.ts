/** What the checks of the books found, for operators: written by whichever worker has checked, shown by all. */
import { seconds } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { LedgerCheck } from '../../schema/platform.ts';

const found = columnsOf(LedgerCheck, 'beganAt', 'checks');

export const recordLedgerCheck = statement({
  name: 'recordLedgerCheck',
  takes: found,
  gives: {},
  sql: 'insert into ledger_checks (began_at, checks) values ($beganAt, $checks)',
});

/** The newest one: how long ago it ended, and how long it took. */
export const lastLedgerCheck = statement({
  name: 'lastLedgerCheck',
  gives: { checks: found.checks, age: seconds(), took: seconds() },
  sql: `
    select checks, extract(epoch from clock_timestamp() - ended_at)::float8 as age,
           extract(epoch from ended_at - began_at)::float8 as took
      from ledger_checks order by id desc limit 1`,
});
