/**
 * The messages this service sends: which values each needs, and how long its delivery makes sense. Their texts are in
 * message-texts.ts, and rendered-messages.ts fills them.
 */
import type { UserId } from '../ids.ts';

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

/** The ways a message reaches a person. */
export const CHANNELS = ['email', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Languages that texts exist in; any other locale reads the first. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

interface Outline {
  /** Names of the values that the texts use, all of them required. */
  readonly values: readonly string[];
  /** After that a delivery would only confuse: a one-time code lives five minutes. In seconds. */
  readonly deliverWithinSeconds: number;
}

/** Every template there is. A `code` goes into the body only, never into a subject: lock screens show subjects. */
export const messageTemplates = {
  email_verification: { values: ['code', 'minutes'], deliverWithinSeconds: 5 * MINUTE_SECONDS },
  phone_verification: { values: ['code', 'minutes'], deliverWithinSeconds: 5 * MINUTE_SECONDS },
  login_code: { values: ['code', 'minutes'], deliverWithinSeconds: 5 * MINUTE_SECONDS },
  /** A step-up for money that leaves: `payment` names amount and payee. */
  payment_code: { values: ['code', 'minutes', 'payment'], deliverWithinSeconds: 5 * MINUTE_SECONDS },
  step_up_code: { values: ['code', 'minutes'], deliverWithinSeconds: 5 * MINUTE_SECONDS },
  /** Somebody tried to register with an address that has a login: only its owner learns of it. */
  address_taken: { values: [], deliverWithinSeconds: DAY_SECONDS },
  /** A used refresh token came again, so all sessions of its family were ended. */
  refresh_reuse: { values: ['at'], deliverWithinSeconds: 3 * DAY_SECONDS },
  new_device: { values: ['at', 'device', 'address'], deliverWithinSeconds: 3 * DAY_SECONDS },
  /** Told whatever the channel of the change was: whoever did not do it must learn of it. */
  password_changed: { values: ['at'], deliverWithinSeconds: 3 * DAY_SECONDS },
  password_reset: { values: ['code', 'minutes'], deliverWithinSeconds: 5 * MINUTE_SECONDS },
  /** Somebody forgot the password of an address without a login: the answer cannot tell them, the mail can. */
  password_reset_unknown: { values: [], deliverWithinSeconds: DAY_SECONDS },
  email_change: { values: ['code', 'minutes'], deliverWithinSeconds: 5 * MINUTE_SECONDS },
  phone_change: { values: ['code', 'minutes'], deliverWithinSeconds: 5 * MINUTE_SECONDS },
  /** To the old address: whoever did not change it must learn of it. */
  email_changed: { values: ['at'], deliverWithinSeconds: 3 * DAY_SECONDS },
  phone_changed: { values: ['at'], deliverWithinSeconds: 3 * DAY_SECONDS },
  /** Somebody else wanted this address or number for their login. */
  contact_wanted: { values: [], deliverWithinSeconds: DAY_SECONDS },
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
  scheduled_transfer_refused: { values: ['day'], deliverWithinSeconds: 3 * DAY_SECONDS },
  ticket_reply: { values: ['number'], deliverWithinSeconds: 3 * DAY_SECONDS },
} as const satisfies Record<string, Outline>;

export type MessageTemplate = keyof typeof messageTemplates;

/** The values a template needs; one that is missing does not compile. */
export type MessageValues<Template extends MessageTemplate> = Readonly<
  Record<(typeof messageTemplates)[Template]['values'][number], string>
>;

/** A message with the values of just its template. */
export type OutgoingMessage = {
  readonly [Template in MessageTemplate]: {
    /** Whom it concerns; null where the recipient has no user. */
    readonly userId: UserId | null;
    readonly channel: Channel;
    /** An email address or an E.164 number. */
    readonly to: string;
    readonly template: Template;
    /** BCP 47; what is not translated reads English. */
    readonly locale: string;
    readonly values: MessageValues<Template>;
  };
}[MessageTemplate];

/** A text with `{{ name }}` where a value goes. */
export interface MessageText {
  readonly subject: string;
  readonly text: string;
  /** For text messages, where each character costs: at most 160 with its values filled in. */
  readonly short: string;
}

/** The language of a BCP 47 tag that texts exist in. */
export function languageOf(locale: string): Language {
  const [primary = ''] = locale.toLowerCase().split('-');
  return LANGUAGES.find((language) => language === primary) ?? LANGUAGES[0];
}

/** True for the name of a template of this service; a row may hold one that a release has since removed. */
export function isMessageTemplate(name: string): name is MessageTemplate {
  return Object.hasOwn(messageTemplates, name);
}
