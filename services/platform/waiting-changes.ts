/** What the process of a pending change does: remind those who could decide, let it expire; and how it is found once it is lost. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../adapters/cipher.ts';
import type { Config } from '../../config.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { overdueChanges } from '../../db/queries/platform/overdue.ts';
import {
  changeById,
  changeClock,
  changeRefusal,
  checkersOf,
  endChange,
  noteChangeReminder,
  type ChangeRow,
} from '../../db/queries/platform/pending-changes.ts';
import { SYSTEM } from '../../domain/actor.ts';
import type { ChangeOrder, ChangeState } from '../../domain/changes.ts';
import { ChangeId } from '../../domain/ids.ts';
import { changeProcess } from '../../workflows/change/process.ts';
import { notify } from '../notifications/events.ts';
import { orderOf } from './changes.ts';
import type { Recovery } from './recovery.ts';

const HOUR_SECONDS = 3_600;

/** Lets a change expire whose time is over, reminds those who let it lie, and says when to look again. */
export async function lookAtWaiting(
  tx: EntityManager,
  id: ChangeId,
  remindSeconds: number,
  { cipher }: { readonly cipher: Cipher },
): Promise<{ readonly state: ChangeState; readonly lookAgainInSeconds: number }> {
  // locks the row: somebody may be deciding
  await changeRefusal.one(tx, { change: id, wanted: 'expired', decider: null });
  const waiting = await changeById.one(tx, { id });
  if (waiting.status !== 'open') return { state: { status: waiting.status }, lookAgainInSeconds: 0 };
  const { due, againInSeconds, ageSeconds } = await changeClock(tx, id, remindSeconds);
  if (due === 'expiry') return { state: await expire(tx, waiting), lookAgainInSeconds: 0 };
  if (due === 'reminder') await remind(tx, waiting, ageSeconds, cipher);
  return { state: { status: 'open' }, lookAgainInSeconds: againInSeconds };
}

async function expire(tx: EntityManager, { id, operation }: ChangeRow): Promise<ChangeState> {
  const end = { change: id, wanted: 'expired', decider: null, reason: null, failure: null } as const;
  const { refusal } = await endChange.one(tx, end);
  if (refusal !== null) throw new Error(`a change does not expire: ${refusal}`);
  await record(tx, SYSTEM, { action: 'change.expired', subject: ['change', id], after: { operation } });
  return { status: 'expired' };
}

async function remind(
  tx: EntityManager,
  { id, operation }: ChangeRow,
  ageSeconds: number,
  cipher: Cipher,
): Promise<void> {
  await noteChangeReminder.run(tx, { id });
  for (const checker of await checkersOf.all(tx, { id }))
    await notify(tx, cipher, {
      userId: checker.id,
      type: 'change_waits',
      locale: checker.locale,
      values: { operation, hours: String(Math.floor(ageSeconds / HOUR_SECONDS)) },
    });
}

/** A change that waits for its decision. */
export const changeRecovery = (config: Config): Recovery<ChangeOrder> => ({
  process: changeProcess,
  async orderOf(db, id) {
    const change = await changeById.first(db, { id: ChangeId.parse(id) });
    return change?.status === 'open' ? orderOf(change.id, config) : undefined;
  },
  overdue: (db, page) =>
    overdueChanges.all(db, { ...page, remindSeconds: config.CHANGE_REMINDER_HOURS * HOUR_SECONDS }),
  atTime: 'wakes',
});
