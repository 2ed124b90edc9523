/** Clearing away what is over: short-lived rows that nothing will ask for again. Books, audit and history are never swept. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sweepIdempotencyKeys } from './idempotency-keys.ts';
import { rows } from './sql.ts';

/** Rows a table and round; what is left waits for the next round, so that no round holds many locks. */
const MOST = 5_000;

/** A step-up token lives five minutes; its use must be known as long as the token could be sent again. */
const SWEEPS = [
  `delete from challenges where id in (select id from challenges where expires_at < now() - interval '1 day' limit $1)`,
  `delete from contact_changes where id in (select id from contact_changes where expires_at < now() limit $1)`,
  `delete from registrations where id in (select id from registrations where expires_at < now() limit $1)`,
  `delete from step_up_uses where step_up_id in
     (select step_up_id from step_up_uses where used_at < now() - interval '1 day' limit $1)`,
  `delete from throttles where key in
     (select key from throttles where expire < extract(epoch from now()) * 1000 limit $1)`,
  `delete from transfer_quotes where id in
     (select id from transfer_quotes where expires_at < now() - interval '30 days' and transfer_id is null limit $1)`,
] as const;

/** One round over all of them. Several workers may sweep at once. */
export async function sweep(em: EntityManager): Promise<void> {
  await sweepIdempotencyKeys(em);
  for (const statement of SWEEPS) await rows(em, statement, [MOST]);
}
