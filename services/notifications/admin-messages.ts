/** What administrators write to customers: to one person in words of their own, or to several by a type. */
import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../adapters/cipher.ts';
import { newUuid } from '../../adapters/new-id.ts';
import { customerToTell, notificationOf } from '../../db/queries/notifications/evidence.ts';
import type { NotificationRow } from '../../db/queries/notifications/feed.ts';
import { countRecipients } from '../../db/queries/notifications/announcements.ts';
import { notificationType, type NotificationTypeRow } from '../../db/queries/notifications/types.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { EventId, type AnnouncementId, type UserId } from '../../domain/ids.ts';
import type { Channel } from '../../domain/notifications/notifications.ts';
import { FOREIGN_LINK, hasForeignLink } from '../../domain/notifications/links.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { isReadableLine } from '../../domain/text.ts';
import type { AdminCall } from '../callers.ts';
import type { Services } from '../services.ts';
import { announce } from './announcements.ts';
import { tell } from './events.ts';

/** Messages of administrators to one person. */
const TO_ONE_PERSON = { points: 10, seconds: 86_400 };

interface AdminMessage {
  readonly title: string;
  readonly body: string;
  readonly channels?: readonly Channel[] | undefined;
}

/** Writes to one customer. `id` is the same for every repeat. The audit log keeps a hash of the text, not the text. */
export async function writeToCustomer(
  call: AdminCall<'same_person' | 'too_many_requests' | 'notification_type_disabled'>,
  { cipher, throttles, config }: Pick<Services, 'cipher' | 'throttles' | 'config'>,
  id: string,
  userId: UserId,
  { title, body, channels }: AdminMessage,
): Promise<NotificationRow> {
  const { db, actor, refusal } = call;
  if (actor.id === userId) throw refusal('same_person');
  const { locale } = found(await customerToTell.first(db, { id: userId }));
  for (const [field, text] of Object.entries({ title, body }))
    if (hasForeignLink(text, config.publicUrl)) throw faultIn(`/${field}`, 'foreign_link', FOREIGN_LINK);
  await throttles.take(call, 'admin-message', userId, TO_ONE_PERSON);
  const eventId = EventId.parse(id);
  await tell(db, cipher, {
    eventId,
    userId,
    type: 'admin_message',
    locale,
    channels,
    values: { title, body },
  });
  const made = await notificationOf.first(db, { eventId });
  if (made === undefined) throw refusal('notification_type_disabled');
  const digest = createHash('sha256').update(`${title}\n${body}`).digest('hex');
  await record(db, actor, {
    action: 'message.sent',
    subject: ['user', userId],
    after: { notification: made.id, sha256: digest },
  });
  return made;
}

/** To whom a type is sent. */
interface Sending {
  /** Null for every active customer. */
  readonly userIds: readonly UserId[] | null;
  readonly variables: Readonly<Record<string, string>>;
}

/** So many people are told at once; more are an announcement, which waits for a second administrator. */
const MOST_AT_ONCE = 100;

/**
 * Tells people what a type says with these values: a few at once, more by an announcement of this id. Answers how many there are. The audit
 * log keeps who, and a hash of the values.
 */
export async function sendByType(
  call: AdminCall<'same_person' | 'notification_type_disabled' | 'notification_mandatory'>,
  { cipher, config }: Pick<Services, 'cipher' | 'config'>,
  { id, code }: { readonly id: AnnouncementId; readonly code: string },
  { userIds, variables }: Sending,
): Promise<{ readonly count: number; readonly announcementId: AnnouncementId | null }> {
  const { db, actor, refusal } = call;
  const type = found(await notificationType.first(db, { code }));
  if (code === 'admin_message')
    throw faultIn('/code', 'not_offered', 'is written to one person by an operation of its own');
  if (!type.enabled) throw refusal('notification_type_disabled');
  // what the bank says of a login is said by the bank alone
  if (type.category === 'security') throw refusal('notification_mandatory');
  requireValues(type, variables, config.publicUrl);
  const people = userIds === null ? null : [...new Set(userIds)];
  if (people?.some((userId) => userId === actor.id)) throw refusal('same_person');
  const isFew = people !== null && people.length <= MOST_AT_ONCE;
  const { count } = await countRecipients.one(db, { recipients: people });
  if (people !== null && !isFew && count < people.length)
    throw faultIn('/user_ids', 'not_found', 'must name users only');
  if (isFew)
    for (const [place, userId] of people.entries()) await tellOne(db, cipher, code, userId, place, variables);
  else await announce(call, { cipher }, { id, typeCode: code, recipients: people, values: variables });
  await record(db, actor, {
    action: 'notification_type.sent',
    subject: ['notification_type', code],
    after: {
      ...{ recipients: people ?? 'all', sha256: digestOf(variables) },
      ...(isFew ? {} : { announcement: id }),
    },
  });
  return { count, announcementId: isFew ? null : id };
}

/** Each variable of the type, no other one, and nothing that leads away from the bank. */
function requireValues(
  type: NotificationTypeRow,
  variables: Readonly<Record<string, string>>,
  publicUrl: string,
): void {
  for (const { name } of type.variables)
    if (!Object.hasOwn(variables, name))
      throw faultIn(`/variables/${name}`, 'required', 'is required by the type');
  for (const [name, value] of Object.entries(variables)) {
    if (!type.variables.some((known) => known.name === name))
      throw faultIn(`/variables/${name}`, 'unknown_variable', 'is not a variable of this type');
    if (hasForeignLink(value, publicUrl)) throw faultIn(`/variables/${name}`, 'foreign_link', FOREIGN_LINK);
  }
  if (variables['title'] !== undefined && !isTitle(variables['title']))
    throw faultIn('/variables/title', 'invalid', `must be one line of at most ${MOST_IN_TITLE} characters`);
}

/** As long as a subject may be. */
const MOST_IN_TITLE = 300;
const isTitle = (text: string): boolean => text.length <= MOST_IN_TITLE && isReadableLine(text);

/** The same for the same values, in whatever order they came. */
function digestOf(values: Readonly<Record<string, string>>): string {
  const ordered = Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(ordered)).digest('hex');
}

async function tellOne(
  db: EntityManager,
  cipher: Cipher,
  type: string,
  userId: UserId,
  place: number,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const person = await customerToTell.first(db, { id: userId });
  if (person === undefined) throw faultIn(`/user_ids/${place}`, 'not_found', 'is not a user');
  await tell(db, cipher, { eventId: EventId.parse(newUuid()), userId, type, locale: person.locale, values });
}
