/** Holds that end by time. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { endDueHolds } from '../../db/ledger/holds.ts';
import { machineNow } from '../../domain/time/now.ts';

/** Holds a statement: their accounts are locked while it runs. */
const MOST = 200;
/** What heals by itself has healed by then, some ten seconds after the first attempt. */
const ALERT_AFTER = 3;

/**
 * Releases the holds whose time is over, but for those on accounts that somebody works on at this moment. A hold that cannot end keeps
 * no other; operators are alerted to it.
 */
export async function releaseDueHolds({
  em,
  log,
}: {
  readonly em: () => EntityManager;
  readonly log: Logger;
}): Promise<void> {
  for (;;) {
    const { ended, refused } = await endDueHolds.one(em(), { most: MOST, clock: machineNow() });
    for (const { hold, account, source_type, source_id, failure, attempts } of refused) {
      const about = { holdId: hold, accountId: account, source: `${source_type}/${source_id}` };
      if (attempts < ALERT_AFTER)
        log.warn({ ...about, attempts, failure }, 'a hold cannot end; it is tried again');
      else
        log.error(
          { ...about, attempts, failure, alert: 'hold_not_ended' },
          'a hold whose time is over cannot end; it is tried again, at least once an hour',
        );
    }
    if (ended + refused.length < MOST) return;
  }
}
