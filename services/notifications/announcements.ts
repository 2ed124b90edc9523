/** What an administrator tells many people: asked for, told page by page, stopped. */
import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Cipher } from '../../adapters/cipher.ts';
import {
  announcementById,
  endAnnouncement,
  insertAnnouncement,
  isCrowded,
  nextRecipients,
  tellPage,
  type AnnouncementRow,
} from '../../db/queries/notifications/announcements.ts';
import { paymentsUnderWay } from '../../db/queries/notifications/deliveries.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import { overdueAnnouncements } from '../../db/queries/platform/overdue.ts';
import { AnnouncementId, EventId, type UserId } from '../../domain/ids.ts';
import type { AnnouncementStatus } from '../../domain/notifications/notifications.ts';
import { found } from '../../domain/refusals.ts';
import { stopped, type AnnouncementOrder } from '../../workflows/announcement/contract.ts';
import { announcementProcess } from '../../workflows/announcement/process.ts';
import type { AdminCall } from '../callers.ts';
import { fourEyes, type Place } from '../platform/four-eyes.ts';
import type { Recovery } from '../platform/recovery.ts';
import type { Services } from '../services.ts';
import { sealContent } from './events.ts';
import { giveWay } from './sending/pace.ts';

/** People who are told in one transaction: some fifty milliseconds. */
const PAGE = 100;
const PAGES_A_STEP = 5;
/** So many deliveries wait at most: some seconds of sending. */
const MOST_WAITING = 3_000;
const CROWDED_SECONDS = 2;
const REST_SECONDS = 5;

const Values = z.record(z.string(), z.string());

/** An announcement waits for a second administrator; what a few people are told does not. */
export const announcementFourEyes = fourEyes({
  resource: ({ newId }: Place<unknown>) => ['announcement', newId],
  state: async (db, { newId }) =>
    (await announcementById.first(db, { id: AnnouncementId.parse(newId) })) ?? null,
  loosens: (_before, after) => after !== null,
  shown: ({ typeCode, status }) => ({ type: typeCode, status }),
});

interface Announced {
  readonly id: AnnouncementId;
  readonly typeCode: string;
  /** Null for every active customer. */
  readonly recipients: readonly UserId[] | null;
  readonly values: Readonly<Record<string, string>>;
}

/** Writes an announcement and starts its process. */
export async function announce(
  { db, actor }: AdminCall,
  { cipher }: Pick<Services, 'cipher'>,
  { id, typeCode, recipients, values }: Announced,
): Promise<void> {
  const sealedValues = cipher.seal(Buffer.from(JSON.stringify(values)), contextOf(id));
  await insertAnnouncement.run(db, { id, typeCode, sealedValues, recipients, createdBy: actor.id });
  await launch(db, announcementProcess, { id });
}

/** Stops it: nobody else is told, and what waits is not sent. Refuses already_decided if it has ended. */
export async function stopAnnouncement(
  { db, actor, refusal }: AdminCall<'already_decided'>,
  { processes }: Pick<Services, 'processes'>,
  id: AnnouncementId,
): Promise<AnnouncementRow> {
  const before = found(await announcementById.first(db, { id }));
  const members = { decision: before.status, decided_by: null, decided_at: before.finishedAt };
  if (before.status !== 'sending') throw refusal('already_decided', { members });
  await endAnnouncement.one(db, { id, wanted: 'stopped' });
  await record(db, actor, { action: 'announcement.stopped', subject: ['announcement', id] });
  // one that is not told, or looks before this is committed, comes back within seconds
  void processes.tell(announcementProcess, id, stopped, { id });
  return announcementById.one(db, { id });
}

interface Deps {
  readonly em: () => EntityManager;
  readonly cipher: Cipher;
}

/** Tells the next people, or ends it; says when to come back. A repeat tells nobody twice. */
export async function goOnTelling(
  { em, cipher }: Deps,
  id: AnnouncementId,
): Promise<{ readonly status: AnnouncementStatus; readonly told: number; readonly againInSeconds: number }> {
  let againInSeconds = 0;
  for (let page = 0; page < PAGES_A_STEP; page++) {
    const known = await announcementById.one(em(), { id });
    if (known.status !== 'sending') break;
    // nothing can be said without its text
    if (known.sealedValues === null) {
      await endAnnouncement.one(em(), { id, wanted: 'stopped' });
      break;
    }
    if ((await isCrowded.one(em(), { most: MOST_WAITING })).crowded) {
      againInSeconds = CROWDED_SECONDS;
      break;
    }
    const people = await nextRecipients.all(em(), { id, most: PAGE });
    const last = people.at(-1);
    if (last === undefined) {
      await endAnnouncement.one(em(), { id, wanted: 'sent' });
      againInSeconds = REST_SECONDS;
      break;
    }
    const values = Values.parse(JSON.parse(cipher.open(known.sealedValues, contextOf(id)).toString()));
    const begun = performance.now();
    await tellPage.one(em(), {
      id,
      people: people.map((person) => recipient(cipher, id, person, values)),
      last: last.id,
    });
    if ((await paymentsUnderWay.one(em())).busy) await giveWay(performance.now() - begun);
  }
  const { status, told } = await announcementById.one(em(), { id });
  return { status, told, againInSeconds };
}

function recipient(
  cipher: Cipher,
  announcement: AnnouncementId,
  { id, locale }: { readonly id: UserId; readonly locale: string },
  values: Readonly<Record<string, string>>,
) {
  const event = eventOf(announcement, id);
  return { id, event, locale, content: sealContent(cipher, event, {}, values).toString('hex') };
}

/** The same event for every repeat, so that nobody is told twice (RFC 9562 §5.8). */
function eventOf(announcement: AnnouncementId, person: UserId): EventId {
  const hex = createHash('sha256').update(`${announcement}/${person}`).digest('hex');
  return EventId.parse(
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
  );
}

const contextOf = (id: AnnouncementId): string => `announcements/${id}`;

/** An announcement whose process does nothing any more. */
export const announcementRecovery: Recovery<AnnouncementOrder> = {
  process: announcementProcess,
  async orderOf(db, id) {
    const known = await announcementById.first(db, { id: AnnouncementId.parse(id) });
    return known?.status === 'sending' ? { id: known.id } : undefined;
  },
  overdue: (db, page) => overdueAnnouncements.all(db, page),
};
