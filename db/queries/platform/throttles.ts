/** Counters of attempts. */
import { composedStatement } from '../../rows/composed.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { Throttle } from '../../schema/platform.ts';

/** What `rate-limiter-flexible` wants to have run: it writes its own SQL, with its values bound as `$1`, `$2`. */
interface LimiterStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Runs a statement of the library on its table. The example counts an attempt as the library does. */
export const runForLimiter = composedStatement({
  name: 'runForLimiter',
  gives: columnsOf(Throttle, 'points', 'expire'),
  compose: ({ text, values = [] }: LimiterStatement, bind) => {
    values.forEach(bind);
    return text;
  },
  examples: [
    {
      text: `insert into "throttles" values ($1, $2, $3)
             on conflict (key) do update set points = "throttles".points + $2 returning points, expire`,
    },
  ],
});
