/** The texts of all messages by language. Plain text: nothing in a value can become markup. */
import type { Language, MessageTemplate, MessageText } from './messages.ts';

const english: Readonly<Record<MessageTemplate, MessageText>> = {
  email_verification: {
    subject: 'Confirm your email address',
    text: 'Your code is {{ code }}.\n\nEnter it within {{ minutes }} minutes to confirm this email address. If you did not register with us, ignore this message.\n',
    short: 'Teller: {{ code }} confirms your email address. Valid {{ minutes }} minutes.',
  },
  phone_verification: {
    subject: 'Confirm your phone number',
    text: 'Your code is {{ code }}.\n\nEnter it within {{ minutes }} minutes to confirm your phone number. If you did not ask for it, ignore this message.\n',
    short: 'Teller: {{ code }} confirms your phone number. Valid {{ minutes }} minutes.',
  },
  login_code: {
    subject: 'Your login code',
    text: 'Your code is {{ code }}.\n\nEnter it within {{ minutes }} minutes to log in. We never ask for it by phone or in a chat. If it was not you who is logging in, change your password.\n',
    short: 'Teller: {{ code }} is your login code. Valid {{ minutes }} minutes. Never tell it to anyone.',
  },
  step_up_code: {
    subject: 'Your confirmation code',
    text: 'Your code is {{ code }}.\n\nEnter it within {{ minutes }} minutes to confirm what you are about to do. We never ask for it by phone or in a chat. If it was not you, change your password.\n',
    short: 'Teller: {{ code }} confirms your request. Valid {{ minutes }} minutes. Never tell it to anyone.',
  },
  address_taken: {
    subject: 'You already have a login',
    text: 'Somebody, perhaps you, tried to register with this email address. It already has a login with us, so nothing was changed.\n\nIf it was you, log in as usual. If not, you need not do anything.\n',
    short:
      'Teller: somebody tried to register with your address. It already has a login; nothing was changed.',
  },
  refresh_reuse: {
    subject: 'We ended your sessions',
    text: 'On {{ at }} a login token of yours was used a second time. It may have been copied, so we ended the sessions it belongs to.\n\nLog in again. If you see a device that you do not know, change your password and tell us.\n',
    short: 'Teller: a login token was used twice, so we ended your sessions. Log in again.',
  },
  new_device: {
    subject: 'New login to your account',
    text: 'On {{ at }} somebody logged in from a device that we had not seen before: {{ device }}.\n\nIf it was you, there is nothing to do. If not, change your password and tell us.\n',
    short: 'Teller: new login on {{ at }} from a device not seen before. Not you? Change your password.',
  },
  password_changed: {
    subject: 'Your password was changed',
    text: 'On {{ at }} the password of your login was changed, and all other sessions were ended.\n\nIf it was you, there is nothing to do. If not, tell us at once.\n',
    short: 'Teller: your password was changed on {{ at }}. Not you? Tell us at once.',
  },
  factor_changed: {
    subject: 'Your second factors were changed',
    text: 'On {{ at }} the second factors of your login were changed.\n\nIf it was you, there is nothing to do. If not, change your password and tell us.\n',
    short: 'Teller: your second factors were changed on {{ at }}. Not you? Change your password.',
  },
  account_request_approved: {
    subject: 'Your account is open',
    text: 'Your request for a {{ type }} was approved, and the account is open.\n\nLog in to see its number and to use it.\n',
    short: 'Teller: your request for an account was approved. Log in to use it.',
  },
  account_request_rejected: {
    subject: 'Your request for an account',
    text: 'We could not approve your request for a {{ type }}.\n\nLog in to read why. You may ask again.\n',
    short: 'Teller: your request for an account was not approved. Log in to read why.',
  },
  account_request_expired: {
    subject: 'Your request for an account has expired',
    text: 'Your request for a {{ type }} was not decided in time and has expired. We are sorry.\n\nLog in to ask again.\n',
    short: 'Teller: your request for an account has expired. Log in to ask again.',
  },
  account_request_waits: {
    subject: 'An account request waits for its review',
    text: 'A request for a {{ type }} has waited for {{ hours }} hours.\n\nLog in to review it.\n',
    short: 'Teller: an account request has waited for {{ hours }} hours. Log in to review it.',
  },
  ticket_reply: {
    subject: 'Support has answered ticket {{ number }}',
    text: 'There is an answer to your ticket {{ number }}.\n\nLog in to read it and to reply. For your safety this message does not repeat it.\n',
    short: 'Teller: support has answered your ticket {{ number }}. Log in to read it.',
  },
};

const german: Readonly<Record<MessageTemplate, MessageText>> = {
  email_verification: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    text: 'Ihr Code lautet {{ code }}.\n\nGeben Sie ihn innerhalb von {{ minutes }} Minuten ein, um diese E-Mail-Adresse zu bestätigen. Haben Sie sich nicht bei uns angemeldet, ignorieren Sie diese Nachricht.\n',
    short: 'Teller: {{ code }} bestätigt Ihre E-Mail-Adresse. Gültig {{ minutes }} Minuten.',
  },
  phone_verification: {
    subject: 'Bestätigen Sie Ihre Telefonnummer',
    text: 'Ihr Code lautet {{ code }}.\n\nGeben Sie ihn innerhalb von {{ minutes }} Minuten ein, um Ihre Telefonnummer zu bestätigen. Haben Sie ihn nicht angefordert, ignorieren Sie diese Nachricht.\n',
    short: 'Teller: {{ code }} bestätigt Ihre Telefonnummer. Gültig {{ minutes }} Minuten.',
  },
  login_code: {
    subject: 'Ihr Code zum Anmelden',
    text: 'Ihr Code lautet {{ code }}.\n\nGeben Sie ihn innerhalb von {{ minutes }} Minuten ein, um sich anzumelden. Wir fragen nie am Telefon oder im Chat danach. Melden Sie sich gerade nicht selbst an, ändern Sie Ihr Passwort.\n',
    short:
      'Teller: {{ code }} ist Ihr Code zum Anmelden. Gültig {{ minutes }} Minuten. Geben Sie ihn nie weiter.',
  },
  step_up_code: {
    subject: 'Ihr Code zur Bestätigung',
    text: 'Ihr Code lautet {{ code }}.\n\nGeben Sie ihn innerhalb von {{ minutes }} Minuten ein, um Ihr Vorhaben zu bestätigen. Wir fragen nie am Telefon oder im Chat danach. Waren Sie es nicht, ändern Sie Ihr Passwort.\n',
    short:
      'Teller: {{ code }} bestätigt Ihren Auftrag. Gültig {{ minutes }} Minuten. Geben Sie ihn nie weiter.',
  },
  address_taken: {
    subject: 'Sie haben bereits einen Zugang',
    text: 'Jemand, vielleicht Sie selbst, wollte sich mit dieser E-Mail-Adresse registrieren. Sie hat bereits einen Zugang, deshalb wurde nichts geändert.\n\nWaren Sie es, melden Sie sich wie gewohnt an. Wenn nicht, müssen Sie nichts tun.\n',
    short:
      'Teller: Jemand wollte sich mit Ihrer Adresse registrieren. Sie hat schon einen Zugang; nichts wurde geändert.',
  },
  refresh_reuse: {
    subject: 'Wir haben Ihre Sitzungen beendet',
    text: 'Am {{ at }} wurde ein Anmelde-Token von Ihnen ein zweites Mal benutzt. Es könnte kopiert worden sein, deshalb haben wir die zugehörigen Sitzungen beendet.\n\nMelden Sie sich neu an. Sehen Sie ein Gerät, das Sie nicht kennen, ändern Sie Ihr Passwort und sagen Sie uns Bescheid.\n',
    short:
      'Teller: Ein Anmelde-Token wurde doppelt benutzt, Ihre Sitzungen sind beendet. Bitte neu anmelden.',
  },
  new_device: {
    subject: 'Neue Anmeldung bei Ihrem Konto',
    text: 'Am {{ at }} hat sich jemand von einem Gerät angemeldet, das wir noch nicht kannten: {{ device }}.\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, ändern Sie Ihr Passwort und sagen Sie uns Bescheid.\n',
    short: 'Teller: Neue Anmeldung am {{ at }} von einem neuen Gerät. Nicht Sie? Ändern Sie Ihr Passwort.',
  },
  password_changed: {
    subject: 'Ihr Passwort wurde geändert',
    text: 'Am {{ at }} wurde das Passwort Ihres Zugangs geändert; alle anderen Sitzungen wurden beendet.\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, sagen Sie uns sofort Bescheid.\n',
    short: 'Teller: Ihr Passwort wurde am {{ at }} geändert. Nicht Sie? Sagen Sie uns sofort Bescheid.',
  },
  factor_changed: {
    subject: 'Ihre zweiten Faktoren wurden geändert',
    text: 'Am {{ at }} wurden die zweiten Faktoren Ihres Zugangs geändert.\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, ändern Sie Ihr Passwort und sagen Sie uns Bescheid.\n',
    short: 'Teller: Ihre zweiten Faktoren wurden am {{ at }} geändert. Nicht Sie? Ändern Sie Ihr Passwort.',
  },
  account_request_approved: {
    subject: 'Ihr Konto ist eröffnet',
    text: 'Ihr Antrag ({{ type }}) wurde genehmigt, das Konto ist eröffnet.\n\nMelden Sie sich an, um die Nummer zu sehen und es zu nutzen.\n',
    short: 'Teller: Ihr Kontoantrag wurde genehmigt. Melden Sie sich an, um das Konto zu nutzen.',
  },
  account_request_rejected: {
    subject: 'Ihr Kontoantrag',
    text: 'Wir konnten Ihren Antrag ({{ type }}) nicht genehmigen.\n\nMelden Sie sich an, um den Grund zu lesen. Sie können erneut einen Antrag stellen.\n',
    short: 'Teller: Ihr Kontoantrag wurde nicht genehmigt. Den Grund lesen Sie nach dem Anmelden.',
  },
  account_request_expired: {
    subject: 'Ihr Kontoantrag ist abgelaufen',
    text: 'Über Ihren Antrag ({{ type }}) wurde nicht rechtzeitig entschieden, er ist abgelaufen. Das tut uns leid.\n\nMelden Sie sich an, um ihn erneut zu stellen.\n',
    short: 'Teller: Ihr Kontoantrag ist abgelaufen. Melden Sie sich an, um ihn erneut zu stellen.',
  },
  account_request_waits: {
    subject: 'Ein Kontoantrag wartet auf Prüfung',
    text: 'Ein Antrag ({{ type }}) wartet seit {{ hours }} Stunden.\n\nMelden Sie sich an, um ihn zu prüfen.\n',
    short: 'Teller: Ein Kontoantrag wartet seit {{ hours }} Stunden. Melden Sie sich an, um ihn zu prüfen.',
  },
  ticket_reply: {
    subject: 'Der Support hat auf Ticket {{ number }} geantwortet',
    text: 'Zu Ihrem Ticket {{ number }} gibt es eine Antwort.\n\nMelden Sie sich an, um sie zu lesen und zu antworten. Zu Ihrer Sicherheit steht sie nicht in dieser Nachricht.\n',
    short: 'Teller: Der Support hat auf Ihr Ticket {{ number }} geantwortet. Zum Lesen bitte anmelden.',
  },
};

export const messageTexts: Readonly<Record<Language, Readonly<Record<MessageTemplate, MessageText>>>> = {
  en: english,
  de: german,
};
