/** The events of this service that people are told of: which values each needs, and how long telling it makes sense. */
import type { EventId, UserId } from '../ids.ts';
import { isSecret, languageIn, type Addresses } from './notifications.ts';

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

/** The channels of the messages of the release before. */
export const MESSAGE_CHANNELS = ['email', 'sms'] as const;
export type MessageChannel = (typeof MESSAGE_CHANNELS)[number];

/** Languages that texts exist in; any other locale reads the first. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

interface Outline {
  /** Told at the addresses that its event names, whatever its person prefers, as every secret is. */
  readonly atAddress?: true;
  /** Names of the values that the texts use, all of them required. */
  readonly values: readonly string[];
  /** After that a delivery would only confuse: a one-time code lives five minutes. In seconds. */
  readonly deliverWithinSeconds: number;
}

/**
 * Every event that the code writes; the type of the same code has its texts in the database. A `code` goes into the body only, never into
 * a subject: lock screens show subjects.
 */
export const messageTemplates = {
  email_verification: {
    values: ['code', 'minutes'],
    deliverWithinSeconds: 5 * MINUTE_SECONDS,
  },
  phone_verification: {
    values: ['code', 'minutes'],
    deliverWithinSeconds: 5 * MINUTE_SECONDS,
  },
  login_code: { values: ['code', 'minutes'], deliverWithinSeconds: 5 * MINUTE_SECONDS },
  /** A step-up for money that leaves: `payment` names amount and payee. */
  payment_code: {
    values: ['code', 'minutes', 'payment'],
    deliverWithinSeconds: 5 * MINUTE_SECONDS,
  },
  step_up_code: { values: ['code', 'minutes'], deliverWithinSeconds: 5 * MINUTE_SECONDS },
  /** Somebody tried to register with an address that has a login: only its owner learns of it. */
  address_taken: { atAddress: true, values: [], deliverWithinSeconds: DAY_SECONDS },
  /** A used refresh token came again, so all sessions of its family were ended. */
  refresh_reuse: { values: ['at'], deliverWithinSeconds: 3 * DAY_SECONDS },
  new_device: { values: ['at', 'device', 'address'], deliverWithinSeconds: 3 * DAY_SECONDS },
  /** Told whatever the channel of the change was: whoever did not do it must learn of it. */
  password_changed: { values: ['at'], deliverWithinSeconds: 3 * DAY_SECONDS },
  password_reset: { values: ['code', 'minutes'], deliverWithinSeconds: 5 * MINUTE_SECONDS },
  /** Somebody forgot the password of an address without a login: the answer cannot tell them, the mail can. */
  password_reset_unknown: { atAddress: true, values: [], deliverWithinSeconds: DAY_SECONDS },
  email_change: { values: ['code', 'minutes'], deliverWithinSeconds: 5 * MINUTE_SECONDS },
  phone_change: { values: ['code', 'minutes'], deliverWithinSeconds: 5 * MINUTE_SECONDS },
  /** To the old address: whoever did not change it must learn of it. */
  email_changed: { atAddress: true, values: ['at'], deliverWithinSeconds: 3 * DAY_SECONDS },
  phone_changed: { atAddress: true, values: ['at'], deliverWithinSeconds: 3 * DAY_SECONDS },
  /** Somebody else wanted this address or number for their login. */
  contact_wanted: { atAddress: true, values: [], deliverWithinSeconds: DAY_SECONDS },
  /** A channel of security notices was switched off: whoever did not do it would learn of nothing else. */
  security_notices_off: { atAddress: true, values: ['at'], deliverWithinSeconds: 3 * DAY_SECONDS },
  factor_changed: { values: ['at'], deliverWithinSeconds: 3 * DAY_SECONDS },
  /** The code sets the first password of a new administrator. */
  admin_invited: { values: ['code', 'days'], deliverWithinSeconds: DAY_SECONDS },
  /** Told whoever is made an administrator: all sessions end with it. */
  admin_promoted: { values: ['at'], deliverWithinSeconds: 3 * DAY_SECONDS },
  account_request_approved: { values: ['type'], deliverWithinSeconds: 3 * DAY_SECONDS },
  account_request_rejected: { values: ['type'], deliverWithinSeconds: 3 * DAY_SECONDS },
  account_request_expired: { values: ['type'], deliverWithinSeconds: 3 * DAY_SECONDS },
  /** To administrators who may review it. */
  account_request_waits: { values: ['type', 'hours'], deliverWithinSeconds: DAY_SECONDS },
  /** To administrators who may approve it. */
  change_waits: { values: ['operation', 'hours'], deliverWithinSeconds: DAY_SECONDS },
  /** To whoever reviews it. */
  aml_flag_due: { values: ['number', 'severity', 'due'], deliverWithinSeconds: DAY_SECONDS },
  card_dispute_due: { values: ['status'], deliverWithinSeconds: DAY_SECONDS },
  scheduled_transfer_refused: { values: ['day'], deliverWithinSeconds: 3 * DAY_SECONDS },
  ticket_reply: { values: ['number'], deliverWithinSeconds: 3 * DAY_SECONDS },
  /** Mail to this address (shown in part) came back, and no more is sent to it. */
  mail_undeliverable: { values: ['address'], deliverWithinSeconds: 7 * DAY_SECONDS },
  /** What an administrator writes to one person. */
  admin_message: { values: ['title', 'body'], deliverWithinSeconds: 7 * DAY_SECONDS },
} as const satisfies Record<string, Outline>;

export type MessageTemplate = keyof typeof messageTemplates;

/** The values a template needs; one that is missing does not compile. */
export type MessageValues<Template extends MessageTemplate> = Readonly<
  Record<(typeof messageTemplates)[Template]['values'][number], string>
>;

/** An event with the values of just its type. */
export type OutgoingNotice = {
  readonly [Type in MessageTemplate]: {
    /** The same for every repeat, which then tells nobody anything; a new one if it is left out. */
    readonly eventId?: EventId;
    /** Whom it concerns; null where the recipient has no user. */
    readonly userId: UserId | null;
    /** Where it goes, if the event knows better than the user's profile does. */
    readonly to?: Addresses;
    readonly type: Type;
    /** BCP 47, for somebody without a user; whoever has one reads the language of their profile. */
    readonly locale: string;
    readonly values: MessageValues<Type>;
  };
}[MessageTemplate];

/** The language of a BCP 47 tag that texts exist in. */
export function languageOf(locale: string): Language {
  return LANGUAGES.find((language) => language === languageIn(locale)) ?? LANGUAGES[0];
}

/** Whether a type is told at the addresses of its event, whatever its person prefers. */
export function isAtAddress(type: string): boolean {
  if (!isMessageTemplate(type)) return false;
  const { atAddress, values }: Outline = messageTemplates[type];
  return atAddress === true || values.some(isSecret);
}

/** True for the code of such an event; a row may hold one that a release has since removed. */
export function isMessageTemplate(name: string): name is MessageTemplate {
  return Object.hasOwn(messageTemplates, name);
}
