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
  payment_code: {
    subject: 'Your code for a payment',
    text: 'Your code is {{ code }}.\n\nIt confirms a payment: {{ payment }}.\n\nEnter it within {{ minutes }} minutes, and only if amount and payee are right. We never ask for it by phone or in a chat. If it was not you, change your password.\n',
    short: 'Teller: {{ code }} pays {{ payment }}. Valid {{ minutes }} min. Never tell it to anyone.',
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
    text: 'On {{ at }} somebody logged in from a device that we had not seen before: {{ device }}, from the address {{ address }}.\n\nIf it was you, there is nothing to do. If not, change your password and tell us.\n',
    short: 'Teller: new login on {{ at }} from a device not seen before. Not you? Change your password.',
  },
  password_changed: {
    subject: 'Your password was changed',
    text: 'On {{ at }} the password of your login was changed, and all other sessions were ended.\n\nIf it was you, there is nothing to do. If not, tell us at once.\n',
    short: 'Teller: your password was changed on {{ at }}. Not you? Tell us at once.',
  },
  password_reset: {
    subject: 'Your code for a new password',
    text: 'Your code is {{ code }}.\n\nEnter it within {{ minutes }} minutes to choose a new password. We never ask for it by phone or in a chat. If you did not ask for it, ignore this message: your password stays as it is.\n',
    short:
      'Teller: {{ code }} is your code for a new password. Valid {{ minutes }} minutes. Never tell it to anyone.',
  },
  password_reset_unknown: {
    subject: 'There is no login with this address',
    text: 'Somebody, perhaps you, asked for a new password with this email address. No login with us can be used with it, so there is nothing to change.\n\nIf it was you, try another address of yours, or register. If not, ignore this message.\n',
    short: 'Teller: somebody asked for a new password with your address. It has no login that can be used.',
  },
  email_change: {
    subject: 'Confirm your new email address',
    text: 'Your code is {{ code }}.\n\nEnter it within {{ minutes }} minutes to use this email address for your login. If you did not ask for it, ignore this message.\n',
    short: 'Teller: {{ code }} confirms your new email address. Valid {{ minutes }} minutes.',
  },
  phone_change: {
    subject: 'Confirm your new phone number',
    text: 'Your code is {{ code }}.\n\nEnter it within {{ minutes }} minutes to use this phone number for your login. If you did not ask for it, ignore this message.\n',
    short: 'Teller: {{ code }} confirms your new phone number. Valid {{ minutes }} minutes.',
  },
  email_changed: {
    subject: 'Your email address was changed',
    text: 'On {{ at }} the email address of your login was changed. From now on we write to the new one.\n\nIf it was you, there is nothing to do. If not, tell us at once.\n',
    short: 'Teller: the email address of your login was changed on {{ at }}. Not you? Tell us at once.',
  },
  phone_changed: {
    subject: 'Your phone number was changed',
    text: 'On {{ at }} the phone number of your login was changed. Codes by text message go to the new one.\n\nIf it was you, there is nothing to do. If not, change your password and tell us at once.\n',
    short: 'Teller: the phone number of your login was changed on {{ at }}. Not you? Tell us at once.',
  },
  contact_wanted: {
    subject: 'Somebody wanted to use your contact details',
    text: 'Somebody with another login wanted to use your email address or phone number for it. It belongs to your login, so nothing was changed.\n\nYou need not do anything. If both logins are yours, write to us.\n',
    short: 'Teller: somebody wanted to use your number or address for another login. Nothing was changed.',
  },
  factor_changed: {
    subject: 'Your second factors were changed',
    text: 'On {{ at }} the second factors of your login were changed.\n\nIf it was you, there is nothing to do. If not, change your password and tell us.\n',
    short: 'Teller: your second factors were changed on {{ at }}. Not you? Change your password.',
  },
  admin_invited: {
    subject: 'You are invited as an administrator',
    text: 'You are invited to the back office of Teller.\n\nYour invitation code is:\n\n{{ code }}\n\nIt is valid once, for {{ days }} days. Choose your password with it, log in and set up an authenticator app; nobody else knows your password. If you did not expect this, ignore this message.\n',
    short:
      'Teller: you are invited as an administrator. The invitation is in your mail, valid for {{ days }} days.',
  },
  admin_promoted: {
    subject: 'You are now an administrator',
    text: 'On {{ at }} your login was made that of an administrator, and its sessions were ended.\n\nLog in again and set up a second factor where you have none. If you did not expect this, tell us at once.\n',
    short: 'Teller: your login became that of an administrator on {{ at }}. Unexpected? Tell us at once.',
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
  change_waits: {
    subject: 'A change waits for a second administrator',
    text: 'A change ({{ operation }}) has waited for {{ hours }} hours for a second administrator.\n\nLog in to approve or reject it.\n',
    short: 'Teller: a change has waited for {{ hours }} hours. Log in to approve or reject it.',
  },
  scheduled_transfer_refused: {
    subject: 'A scheduled transfer was not carried out',
    text: 'Your transfer scheduled for {{ day }} was not carried out. Log in to see why; no money has moved.\n',
    short: 'Teller: your transfer scheduled for {{ day }} was not carried out. Log in to see why.',
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
  payment_code: {
    subject: 'Ihr Code für eine Zahlung',
    text: 'Ihr Code lautet {{ code }}.\n\nEr bestätigt eine Zahlung: {{ payment }}.\n\nGeben Sie ihn innerhalb von {{ minutes }} Minuten ein, und nur, wenn Betrag und Empfänger stimmen. Wir fragen nie am Telefon oder im Chat danach. Waren Sie es nicht, ändern Sie Ihr Passwort.\n',
    short: 'Teller: {{ code }} zahlt {{ payment }}. Gültig {{ minutes }} Min. Nie weitergeben.',
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
    text: 'Am {{ at }} hat sich jemand von einem Gerät angemeldet, das wir noch nicht kannten: {{ device }}, von der Adresse {{ address }}.\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, ändern Sie Ihr Passwort und sagen Sie uns Bescheid.\n',
    short: 'Teller: Neue Anmeldung am {{ at }} von einem neuen Gerät. Nicht Sie? Ändern Sie Ihr Passwort.',
  },
  password_changed: {
    subject: 'Ihr Passwort wurde geändert',
    text: 'Am {{ at }} wurde das Passwort Ihres Zugangs geändert; alle anderen Sitzungen wurden beendet.\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, sagen Sie uns sofort Bescheid.\n',
    short: 'Teller: Ihr Passwort wurde am {{ at }} geändert. Nicht Sie? Sagen Sie uns sofort Bescheid.',
  },
  password_reset: {
    subject: 'Ihr Code für ein neues Passwort',
    text: 'Ihr Code lautet {{ code }}.\n\nGeben Sie ihn innerhalb von {{ minutes }} Minuten ein, um ein neues Passwort zu wählen. Wir fragen nie am Telefon oder im Chat danach. Haben Sie ihn nicht angefordert, ignorieren Sie diese Nachricht: Ihr Passwort bleibt, wie es ist.\n',
    short:
      'Teller: {{ code }} ist Ihr Code für ein neues Passwort. Gültig {{ minutes }} Minuten. Geben Sie ihn nie weiter.',
  },
  password_reset_unknown: {
    subject: 'Zu dieser Adresse gibt es keinen Zugang',
    text: 'Jemand, vielleicht Sie selbst, hat mit dieser E-Mail-Adresse ein neues Passwort angefordert. Mit ihr lässt sich bei uns kein Zugang benutzen, deshalb gibt es nichts zu ändern.\n\nWaren Sie es, versuchen Sie es mit einer anderen Adresse oder registrieren Sie sich. Wenn nicht, ignorieren Sie diese Nachricht.\n',
    short: 'Teller: Jemand hat mit Ihrer Adresse ein neues Passwort angefordert. Sie hat keinen Zugang.',
  },
  email_change: {
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    text: 'Ihr Code lautet {{ code }}.\n\nGeben Sie ihn innerhalb von {{ minutes }} Minuten ein, um diese E-Mail-Adresse für Ihren Zugang zu verwenden. Haben Sie ihn nicht angefordert, ignorieren Sie diese Nachricht.\n',
    short: 'Teller: {{ code }} bestätigt Ihre neue E-Mail-Adresse. Gültig {{ minutes }} Minuten.',
  },
  phone_change: {
    subject: 'Bestätigen Sie Ihre neue Telefonnummer',
    text: 'Ihr Code lautet {{ code }}.\n\nGeben Sie ihn innerhalb von {{ minutes }} Minuten ein, um diese Telefonnummer für Ihren Zugang zu verwenden. Haben Sie ihn nicht angefordert, ignorieren Sie diese Nachricht.\n',
    short: 'Teller: {{ code }} bestätigt Ihre neue Telefonnummer. Gültig {{ minutes }} Minuten.',
  },
  email_changed: {
    subject: 'Ihre E-Mail-Adresse wurde geändert',
    text: 'Am {{ at }} wurde die E-Mail-Adresse Ihres Zugangs geändert. Ab jetzt schreiben wir an die neue.\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, sagen Sie uns sofort Bescheid.\n',
    short:
      'Teller: Ihre E-Mail-Adresse wurde am {{ at }} geändert. Nicht Sie? Sagen Sie uns sofort Bescheid.',
  },
  phone_changed: {
    subject: 'Ihre Telefonnummer wurde geändert',
    text: 'Am {{ at }} wurde die Telefonnummer Ihres Zugangs geändert. Codes per SMS gehen an die neue.\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, ändern Sie Ihr Passwort und sagen Sie uns sofort Bescheid.\n',
    short: 'Teller: Ihre Telefonnummer wurde am {{ at }} geändert. Nicht Sie? Sagen Sie uns sofort Bescheid.',
  },
  contact_wanted: {
    subject: 'Jemand wollte Ihre Kontaktdaten verwenden',
    text: 'Jemand mit einem anderen Zugang wollte Ihre E-Mail-Adresse oder Telefonnummer dafür verwenden. Sie gehört zu Ihrem Zugang, deshalb wurde nichts geändert.\n\nSie müssen nichts tun. Gehören beide Zugänge Ihnen, schreiben Sie uns.\n',
    short:
      'Teller: Jemand wollte Ihre Nummer oder Adresse für einen anderen Zugang verwenden. Nichts wurde geändert.',
  },
  factor_changed: {
    subject: 'Ihre zweiten Faktoren wurden geändert',
    text: 'Am {{ at }} wurden die zweiten Faktoren Ihres Zugangs geändert.\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, ändern Sie Ihr Passwort und sagen Sie uns Bescheid.\n',
    short: 'Teller: Ihre zweiten Faktoren wurden am {{ at }} geändert. Nicht Sie? Ändern Sie Ihr Passwort.',
  },
  admin_invited: {
    subject: 'Sie sind als Administrator eingeladen',
    text: 'Sie sind in die Verwaltung von Teller eingeladen.\n\nIhr Einladungscode lautet:\n\n{{ code }}\n\nEr gilt einmal, {{ days }} Tage lang. Wählen Sie damit Ihr Passwort, melden Sie sich an und richten Sie eine Authenticator-App ein; niemand sonst kennt Ihr Passwort. Haben Sie dies nicht erwartet, beachten Sie die Nachricht nicht.\n',
    short:
      'Teller: Sie sind als Administrator eingeladen. Die Einladung steht in Ihrer E-Mail und gilt {{ days }} Tage.',
  },
  admin_promoted: {
    subject: 'Sie sind jetzt Administrator',
    text: 'Am {{ at }} wurde Ihr Zugang zu dem eines Administrators; seine Sitzungen wurden beendet.\n\nMelden Sie sich neu an und richten Sie einen zweiten Faktor ein, falls Sie keinen haben. Haben Sie dies nicht erwartet, sagen Sie uns sofort Bescheid.\n',
    short:
      'Teller: Ihr Zugang wurde am {{ at }} zu dem eines Administrators. Unerwartet? Sagen Sie uns Bescheid.',
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
  change_waits: {
    subject: 'Eine Änderung wartet auf eine zweite Person',
    text: 'Eine Änderung ({{ operation }}) wartet seit {{ hours }} Stunden auf eine zweite Person.\n\nMelden Sie sich an, um sie zu genehmigen oder abzulehnen.\n',
    short: 'Teller: Eine Änderung wartet seit {{ hours }} Stunden. Melden Sie sich an, um zu entscheiden.',
  },
  scheduled_transfer_refused: {
    subject: 'Eine geplante Überweisung wurde nicht ausgeführt',
    text: 'Ihre für den {{ day }} geplante Überweisung wurde nicht ausgeführt. Melden Sie sich an, um den Grund zu sehen; es wurde nichts gebucht.\n',
    short: 'Teller: Ihre für den {{ day }} geplante Überweisung wurde nicht ausgeführt.',
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
