/** What somebody wants to be told, on which channels and when. A mandatory type keeps at least one channel. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../adapters/cipher.ts';
import { factorsOf } from '../../db/queries/identity/factors/factors.ts';
import {
  choicesOf,
  localeOf,
  lockSettings,
  saveChoice,
  saveLocale,
  saveSettings,
  settingsOf,
  typesOffered,
  wakeQuiet,
  type TypeOffered,
} from '../../db/queries/notifications/preferences.ts';
import type { Person } from '../../domain/actor.ts';
import type { UserId } from '../../domain/ids.ts';
import { isAtAddress } from '../../domain/notifications/messages.ts';
import { CHANNELS, type Category, type Channel } from '../../domain/notifications/notifications.ts';
import { faultIn } from '../../domain/refusals.ts';
import type { Call } from '../callers.ts';
import { tellUser } from '../identity/notices.ts';
import type { Services } from '../services.ts';

export interface TypePreference {
  readonly code: string;
  readonly name: string;
  readonly category: Category;
  readonly channels: Readonly<Record<Channel, boolean>>;
  readonly allowed: readonly Channel[];
  readonly mandatory: boolean;
  /** False for what concerns an address and is told there: codes, and what its owner learns of it. */
  readonly editable: boolean;
}

export interface QuietHours {
  readonly start: string;
  readonly end: string;
  readonly timeZone: string;
  readonly enabled: boolean;
}

export interface Preferences {
  readonly types: readonly TypePreference[];
  readonly quietHours: QuietHours;
  readonly digest: { readonly hour: number; readonly weekday: number | null };
  readonly locale: string;
}

const UNTOUCHED = {
  ...{ quietEnabled: false, quietStart: '22:00', quietEnd: '07:00', timeZone: null },
  ...{ digestHour: 8, digestWeekday: null },
};

/** Whether it concerns an address and is told there only: a code, or what tells its owner that somebody else wanted it. */
function isAboutAddress({ code, lane, channelsAllowed }: TypeOffered): boolean {
  return lane === 'codes' || (isAtAddress(code) && !channelsAllowed.includes('in_app'));
}

export async function preferencesOf(
  db: EntityManager,
  userId: UserId,
  bankZone: string,
): Promise<Preferences> {
  const chosen = new Map(
    (await choicesOf.all(db, { userId })).map((choice) => [
      keyOf(choice.typeCode, choice.channel),
      choice.enabled,
    ]),
  );
  const types = (await typesOffered.all(db)).map((type) => ({
    ...type,
    allowed: type.channelsAllowed,
    editable: !isAboutAddress(type),
    channels: channelsOf(
      (channel) =>
        type.channelsAllowed.includes(channel) &&
        (chosen.get(keyOf(type.code, channel)) ?? type.channelsDefault.includes(channel)),
    ),
  }));
  const stored = (await settingsOf.first(db, { userId })) ?? UNTOUCHED;
  const { locale } = await localeOf.one(db, { userId });
  return {
    types,
    quietHours: {
      start: stored.quietStart.slice(0, 'HH:MM'.length),
      end: stored.quietEnd.slice(0, 'HH:MM'.length),
      timeZone: stored.timeZone ?? bankZone,
      enabled: stored.quietEnabled,
    },
    digest: { hour: stored.digestHour, weekday: stored.digestWeekday },
    locale,
  };
}

/** What is to be otherwise; what is left out stays. */
export interface PreferenceChange {
  readonly types?: readonly {
    readonly code: string;
    readonly channels: Partial<Record<Channel, boolean | undefined>>;
  }[];
  readonly quietHours: Partial<QuietHours>;
  readonly digest: Partial<Preferences['digest']>;
  readonly locale?: string;
}

type PreferenceCall = Call<'notification_mandatory'> & { readonly actor: Person };

/**
 * Changes it, one change of a person after the other. What waits for the end of quiet hours is looked at again at once. Whoever hears less
 * of their login is told so, because a stranger would begin with that.
 */
export async function changePreferences(
  call: PreferenceCall,
  { cipher, config }: Pick<Services, 'cipher' | 'config'>,
  change: PreferenceChange,
): Promise<Preferences> {
  const { db, actor } = call;
  const userId = actor.id;
  const bankZone = config.BANK_TIME_ZONE;
  await lockSettings.run(db, { userId });
  const before = await preferencesOf(db, userId, bankZone);
  if (change.types !== undefined) await chooseTypes(call, cipher, before, change.types);
  const quietHours = { ...before.quietHours, ...change.quietHours };
  if (quietHours.start === quietHours.end)
    throw faultIn('/quiet_hours/end', 'same_time', 'must differ from the start');
  const digest = { ...before.digest, ...change.digest };
  await saveSettings.run(db, {
    userId,
    quietEnabled: quietHours.enabled,
    quietStart: quietHours.start,
    quietEnd: quietHours.end,
    timeZone: quietHours.timeZone,
    digestHour: digest.hour,
    digestWeekday: digest.weekday,
  });
  const isRetimed = Object.keys(change.quietHours).length + Object.keys(change.digest).length > 0;
  if (isRetimed) await wakeQuiet.run(db, { userId });
  if (change.locale !== undefined) await saveLocale.run(db, { userId, locale: change.locale });
  return preferencesOf(db, userId, bankZone);
}

type TypeWishes = NonNullable<PreferenceChange['types']>;

async function chooseTypes(
  call: PreferenceCall,
  cipher: Cipher,
  before: Preferences,
  wishes: TypeWishes,
): Promise<void> {
  const { db, actor, refusal } = call;
  const person = await factorsOf.first(db, { userId: actor.id });
  // the call was let in, and the user blocked since
  if (person === undefined) throw refusal('unauthenticated');
  let hearsLess = false;
  for (const [place, wish] of wishes.entries()) {
    const hasPhone = person.phone !== null;
    if (await chooseChannels(call, before, { ...wish, place, hasPhone })) hearsLess = true;
  }
  if (hearsLess) await tellUser(db, cipher, 'security_notices_off', person);
}

type ChannelWish = TypeWishes[number] & {
  readonly place: number;
  readonly hasPhone: boolean;
};

/** Answers whether it switches a channel off on which the person has heard of their login. */
async function chooseChannels(
  call: PreferenceCall,
  { types }: Preferences,
  { code, channels, place, hasPhone }: ChannelWish,
): Promise<boolean> {
  const { db, actor } = call;
  const pointer = `/types/${place}`;
  const type = types.find((each) => each.code === code);
  if (type === undefined) throw faultIn(`${pointer}/code`, 'not_found', 'is not a type of notifications');
  if (!type.editable)
    throw faultIn(`${pointer}/code`, 'not_editable', 'cannot be changed: it goes where it was asked for');
  const after = channelsOf((channel) => channels[channel] ?? type.channels[channel]);
  for (const channel of CHANNELS)
    if (after[channel] && !type.allowed.includes(channel))
      throw faultIn(`${pointer}/channels/${channel}`, 'not_offered', 'is not offered for this type');
  if (type.mandatory) requireReached(call, after, `${pointer}/channels`, hasPhone);
  const changed = CHANNELS.filter((channel) => after[channel] !== type.channels[channel]);
  for (const channel of changed)
    await saveChoice.run(db, { userId: actor.id, typeCode: code, channel, enabled: after[channel] });
  return type.category === 'security' && changed.some((channel) => !after[channel]);
}

/** Refuses channels of which none is sure to reach the person: a browser that takes push messages may be gone at any time. */
function requireReached(
  { refusal }: PreferenceCall,
  after: Readonly<Record<Channel, boolean>>,
  pointer: string,
  hasPhone: boolean,
): void {
  if (after.in_app || after.email || (after.sms && hasPhone)) return;
  const detail = after.sms
    ? 'one channel beside text messages stays on, because no phone number is proven'
    : 'at least one channel beside push messages stays on';
  throw refusal('notification_mandatory', { errors: [{ pointer, code: 'mandatory', detail }] });
}

function channelsOf(isOn: (channel: Channel) => boolean): Record<Channel, boolean> {
  return { in_app: isOn('in_app'), email: isOn('email'), sms: isOn('sms'), push: isOn('push') };
}

function keyOf(type: string, channel: Channel): string {
  return `${type} ${channel}`;
}
