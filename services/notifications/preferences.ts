/** What somebody wants to be told, on which channels and when. A mandatory type keeps at least one channel. */
import type { EntityManager } from '@mikro-orm/postgresql';
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
} from '../../db/queries/notifications/preferences.ts';
import type { Person } from '../../domain/actor.ts';
import type { UserId } from '../../domain/ids.ts';
import { CHANNELS, type Category, type Channel } from '../../domain/notifications/notifications.ts';
import { faultIn } from '../../domain/refusals.ts';
import type { Call } from '../callers.ts';

export interface TypePreference {
  readonly code: string;
  readonly name: string;
  readonly category: Category;
  readonly channels: Readonly<Record<Channel, boolean>>;
  readonly allowed: readonly Channel[];
  readonly mandatory: boolean;
  /** False for codes, which go where they were asked for. */
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
    editable: type.lane !== 'codes',
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

/** Changes it, one change of a person after the other. What waits for the end of quiet hours is looked at again at once. */
export async function changePreferences(
  call: Call<'notification_mandatory'> & { readonly actor: Person },
  change: PreferenceChange,
  bankZone: string,
): Promise<Preferences> {
  const { db, actor } = call;
  const userId = actor.id;
  await lockSettings.run(db, { userId });
  const before = await preferencesOf(db, userId, bankZone);
  for (const [place, wanted] of (change.types ?? []).entries())
    await chooseChannels(call, before, wanted, place);
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

async function chooseChannels(
  { db, actor, refusal }: Call<'notification_mandatory'> & { readonly actor: Person },
  { types }: Preferences,
  { code, channels }: NonNullable<PreferenceChange['types']>[number],
  place: number,
): Promise<void> {
  const pointer = `/types/${place}`;
  const type = types.find((each) => each.code === code);
  if (type === undefined) throw faultIn(`${pointer}/code`, 'not_found', 'is not a type of notifications');
  if (!type.editable)
    throw faultIn(`${pointer}/code`, 'not_editable', 'cannot be changed: codes go where they were asked for');
  const after = channelsOf((channel) => channels[channel] ?? type.channels[channel]);
  for (const channel of CHANNELS)
    if (after[channel] && !type.allowed.includes(channel))
      throw faultIn(`${pointer}/channels/${channel}`, 'not_offered', 'is not offered for this type');
  // a browser that takes push messages may be gone at any time
  if (type.mandatory && !CHANNELS.some((channel) => after[channel] && channel !== 'push'))
    throw refusal('notification_mandatory', {
      errors: [
        {
          pointer: `${pointer}/channels`,
          code: 'mandatory',
          detail: 'at least one channel beside push messages stays on',
        },
      ],
    });
  for (const channel of CHANNELS)
    if (after[channel] !== type.channels[channel])
      await saveChoice.run(db, { userId: actor.id, typeCode: code, channel, enabled: after[channel] });
}

function channelsOf(isOn: (channel: Channel) => boolean): Record<Channel, boolean> {
  return { in_app: isOn('in_app'), email: isOn('email'), sms: isOn('sms'), push: isOn('push') };
}

function keyOf(type: string, channel: Channel): string {
  return `${type} ${channel}`;
}
