/** Wrong codes of a user, counted for each purpose over all challenges of the running hour. */
import { integer } from '../../../rows/columns.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf } from '../../../rows/table-columns.ts';
import { CodeFailure } from '../../../schema/identity.ts';

const whose = columnsOf(CodeFailure, 'userId', 'purpose');

/** Counts a guess of this user ahead of looking at it. Writes no row if `max` of the running hour are used up. */
export const claimGuess = statement({
  name: 'claimGuess',
  takes: { ...whose, max: integer() },
  gives: {},
  sql: `
    insert into code_failures as f (user_id, purpose, failures) values ($userId, $purpose, 1)
    on conflict (user_id, purpose) do update set
      failures = case when f.since < now() - interval '1 hour' then 1 else f.failures + 1 end,
      since = case when f.since < now() - interval '1 hour' then now() else f.since end
    where f.failures < $max or f.since < now() - interval '1 hour'`,
});

/** The guess was right, so it does not count. */
export const refundGuess = statement({
  name: 'refundGuess',
  takes: whose,
  gives: {},
  sql: 'update code_failures set failures = failures - 1 where user_id = $userId and purpose = $purpose and failures > 0',
});
