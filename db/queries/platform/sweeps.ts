/** Clearing away what is over: short-lived rows that nothing will ask for again. Books, audit and history are never swept. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { bigCount } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { eraseEvents } from '../notifications/bounces.ts';
import { sweepIdempotencyKeys } from './idempotency-keys.ts';

/** Rows a table and round; what is left waits for the next round, so that no round holds many locks. */
const MOST = 5_000;

/**
 * What is over, by its key. A step-up token lives five minutes; its use must be known as long as the token could be sent again.
 */
const SWEEPS = [
  over('challenges', 'id', `expires_at < now() - interval '1 day'`),
  over(
    'code_guesses',
    'user_id, purpose, place',
    `since < now() - interval '1 day' and (proven_at is null or proven_at < now() - interval '365 days')`,
  ),
  over('contact_changes', 'id', 'expires_at < now()'),
  // one that is still refused is tried again within the hour
  over('refused_starts', 'workflow_id', `last_at < (select bank_now()) - interval '1 day'`),
  // evidence of what was delivered; ids say when, and the clock that makes them is the machine's
  over(
    'notification_deliveries',
    'id',
    `status <> 'queued' and id < (select uuidv7(interval '-13 months'))
       and not exists (select from suppressed_addresses s where s.delivery_id = notification_deliveries.id)`,
  ),
  over('registrations', 'id', 'expires_at < now()'),
  over('sms_uses', 'day, spender', `day < bank_day((select bank_now())) - 7`),
  over('step_up_uses', 'step_up_id', `used_at < now() - interval '1 day'`),
  over('throttles', 'key', 'expire < extract(epoch from now()) * 1000'),
  over(
    'transfer_quotes',
    'id',
    `expires_at < (select bank_now()) - interval '30 days' and transfer_id is null`,
  ),
  over(
    'crypto_quotes',
    'id',
    `expires_at < (select bank_now()) - interval '30 days'
       and not exists (select from crypto_orders o where o.quote_id = crypto_quotes.id)`,
  ),
] as const;

/** The condition stands twice: a row that is renewed while the sweep waits for it is looked at again by the outer one only. */
function over(table: string, key: string, condition: string) {
  return statement({
    name: `sweep ${table}`,
    takes: { most: bigCount() },
    gives: {},
    sql: `delete from ${table} where ${condition} and (${key}) in (select ${key} from ${table} where ${condition} limit $most)`,
  });
}

/** One round over all of them. Several workers may sweep at once. */
export async function sweep(db: EntityManager): Promise<void> {
  await sweepIdempotencyKeys(db);
  await eraseEvents.one(db, { most: MOST });
  for (const each of SWEEPS) await each.run(db, { most: MOST });
}
