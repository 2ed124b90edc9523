/** Words of notifications: channels, categories, lanes, and how a delivery ends. */

/** The ways a person is told. */
export const CHANNELS = ['in_app', 'email', 'sms', 'push'] as const;
export type Channel = (typeof CHANNELS)[number];

export const CATEGORIES = ['security', 'money', 'service', 'product'] as const;
export type Category = (typeof CATEGORIES)[number];

/** Whether mails of a type say how to stop them. All other types are switched off in the preferences, if at all. */
export function isUnsubscribable({
  category,
  mandatory,
}: {
  readonly category: Category;
  readonly mandatory: boolean;
}): boolean {
  return category === 'product' && !mandatory;
}

export const DIGESTS = ['none', 'hourly', 'daily'] as const;

/** Codes overtake all else; announcements overtake nothing. */
export const LANES = ['codes', 'common', 'bulk'] as const;
export type Lane = (typeof LANES)[number];

/** `unknown`: the provider may have taken it, and cannot be asked. Nobody sends it again. */
export const DELIVERY_STATUSES = ['queued', 'sent', 'failed', 'suppressed', 'expired', 'unknown'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** `sent`: nothing of it waits any more. */
export const ANNOUNCEMENT_STATUSES = ['sending', 'sent', 'stopped'] as const;
export type AnnouncementStatus = (typeof ANNOUNCEMENT_STATUSES)[number];

export const TEMPLATE_STATUSES = ['draft', 'live', 'retired'] as const;
export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number];

export const VARIABLE_TYPES = ['text', 'number', 'money', 'moment', 'day'] as const;

/** What a template may say, with an example of it. */
export interface Variable {
  readonly name: string;
  readonly type: (typeof VARIABLE_TYPES)[number];
  readonly sample: string;
  /** Says something of a person, so it never goes into a log. */
  readonly personal: boolean;
}

/** Names of variables whose value somebody else could use. Keep in step with `tells_secret` in db/functions/notifications.sql. */
const SECRETS = /(^|_)(code|pin|otp|password|secret|token|card_number|pan|cvv)$/;

/** Whether the value of a variable must not be shown where others look on. */
export function isSecret(name: string): boolean {
  return SECRETS.test(name);
}

/** The channels that may tell a secret. A feed is read by the back office, and a push message stands on a locked screen. */
export const CHANNELS_OF_SECRETS: readonly Channel[] = ['email', 'sms'];

/** What every template may say. `customer` is whoever is told. */
export const COMMON_VARIABLES: readonly Variable[] = [
  { name: 'customer.first_name', type: 'text', sample: 'Ada', personal: true },
  { name: 'customer.last_name', type: 'text', sample: 'Lovelace', personal: true },
  { name: 'bank.name', type: 'text', sample: 'Teller Bank', personal: false },
  { name: 'app.url', type: 'text', sample: 'https://bank.example', personal: false },
];

/** Where the event of a delivery says that it goes. */
export interface Addresses {
  readonly email?: string;
  /** E.164. */
  readonly sms?: string;
}

/** The language of a BCP 47 tag: `de` for `de-AT`. */
export function languageIn(locale: string): string {
  const [language = ''] = locale.toLowerCase().split('-');
  return language;
}

/** The order in which texts are looked for: exact tag, language, English. */
export function localesFor(locale: string): readonly string[] {
  return [...new Set([locale, languageIn(locale), 'en'])];
}
