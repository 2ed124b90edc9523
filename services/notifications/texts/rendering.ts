/** What a person reads: the live text of a type on a channel, in their language, with the values of the event. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Config } from '../../../config.ts';
import { liveText } from '../../../db/queries/notifications/texts.ts';
import { localesFor, type Channel, type Variable } from '../../../domain/notifications/notifications.ts';
import { smsText } from '../../../domain/notifications/sms.ts';
import { shownValues } from './values.ts';
import { fill } from './liquid.ts';

export interface Rendered {
  /** Of the text, which may not exist in the language of the reader. */
  readonly locale: string;
  /** One line; null for a text message. */
  readonly subject: string | null;
  readonly body: string;
}

/** What is rendered for whom. */
export interface ToRender {
  readonly typeCode: string;
  readonly channel: Channel;
  readonly locale: string;
  readonly values: Readonly<Record<string, string>>;
  readonly variables: readonly Variable[];
  /** Of the reader; null where they have chosen none, and read the time of the bank. */
  readonly timeZone: string | null;
  /** Null where the recipient has no user. */
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** Finds the live text of a type on a channel. */
export type FindText = (
  asked: Pick<ToRender, 'typeCode' | 'channel' | 'locale'>,
) => Promise<Rendered | undefined>;

export function textFinder(db: EntityManager): FindText {
  return ({ typeCode, channel, locale }) =>
    liveText.first(db, { typeCode, channel, locales: localesFor(locale) });
}

/** Looks once for each text: for a round, in which many say the same. */
export function rememberingFinder(em: () => EntityManager): FindText {
  const known = new Map<string, Promise<Rendered | undefined>>();
  return (asked) => {
    const key = JSON.stringify([asked.typeCode, asked.channel, asked.locale]);
    const found = known.get(key) ?? textFinder(em())(asked);
    known.set(key, found);
    return found;
  };
}

export type Speaker = Pick<Config, 'BANK_NAME' | 'BANK_TIME_ZONE' | 'publicUrl'>;

/** Undefined if the type has no live text on this channel. Throws if the text asks for what the event does not hold. */
export async function rendered(
  find: FindText,
  speaker: Speaker,
  asked: ToRender,
): Promise<Rendered | undefined> {
  const found = await find(asked);
  return found === undefined ? undefined : renderText(found, speaker, asked);
}

/** A text with these values. A value cannot bring a second line into the subject. */
export function renderText(
  { locale, subject, body }: Rendered,
  speaker: Speaker,
  asked: Omit<ToRender, 'typeCode'>,
): Rendered {
  const zone = asked.timeZone ?? speaker.BANK_TIME_ZONE;
  const scope = {
    ...shownValues(asked.variables, asked.values, { locale: asked.locale, zone }),
    customer: { first_name: asked.firstName ?? '', last_name: asked.lastName ?? '' },
    bank: { name: speaker.BANK_NAME },
    app: { url: speaker.publicUrl },
  };
  const line =
    subject === null
      ? null
      : fill(subject, scope, locale)
          .replaceAll(/[\p{Cc}\s]+/gu, ' ')
          .trim();
  return { locale, subject: line, body: carried(asked.channel, fill(body, scope, locale)) };
}

/** The body as its channel carries it: what is sent is what a preview shows and what is counted. */
export function carried(channel: Channel, body: string): string {
  return channel === 'sms' ? smsText(body) : body;
}
