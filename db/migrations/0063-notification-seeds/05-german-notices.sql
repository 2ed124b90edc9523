-- The German texts of what is told to people with a login. A code never stands in a subject.

insert into notification_templates (type_code, channel, locale, subject, body, status) values
  ('refresh_reuse', 'in_app', 'de', 'Wir haben Ihre Sitzungen beendet',
    E'Ein Anmelde-Token wurde doppelt benutzt, Ihre Sitzungen sind beendet. Bitte neu anmelden.', 'live'),
  ('refresh_reuse', 'email', 'de', 'Wir haben Ihre Sitzungen beendet',
    E'Am {{ at }} wurde ein Anmelde-Token von Ihnen ein zweites Mal benutzt. Es könnte kopiert '
    'worden sein, deshalb haben wir die zugehörigen Sitzungen beendet.\n\nMelden Sie sich neu '
    'an. Sehen Sie ein Gerät, das Sie nicht kennen, ändern Sie Ihr Passwort und sagen Sie uns '
    'Bescheid.\n', 'live'),
  ('refresh_reuse', 'sms', 'de', null,
    E'Teller: Ein Anmelde-Token wurde doppelt benutzt, Ihre Sitzungen sind beendet. Bitte neu '
    'anmelden.', 'live'),
  ('new_device', 'in_app', 'de', 'Neue Anmeldung bei Ihrem Konto',
    E'Neue Anmeldung am {{ at }} von einem neuen Gerät. Nicht Sie? Ändern Sie Ihr Passwort.', 'live'),
  ('new_device', 'email', 'de', 'Neue Anmeldung bei Ihrem Konto',
    E'Am {{ at }} hat sich jemand von einem Gerät angemeldet, das wir noch nicht kannten: {{ '
    'device }}, von der Adresse {{ address }}.\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, '
    'ändern Sie Ihr Passwort und sagen Sie uns Bescheid.\n', 'live'),
  ('new_device', 'sms', 'de', null,
    E'Teller: Neue Anmeldung am {{ at }} von einem neuen Gerät. Nicht Sie? Ändern Sie Ihr '
    'Passwort.', 'live'),
  ('password_changed', 'in_app', 'de', 'Ihr Passwort wurde geändert',
    E'Ihr Passwort wurde am {{ at }} geändert. Nicht Sie? Sagen Sie uns sofort Bescheid.', 'live'),
  ('password_changed', 'email', 'de', 'Ihr Passwort wurde geändert',
    E'Am {{ at }} wurde das Passwort Ihres Zugangs geändert; alle anderen Sitzungen wurden '
    'beendet.\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, sagen Sie uns sofort Bescheid.\n', 'live'),
  ('password_changed', 'sms', 'de', null,
    E'Teller: Ihr Passwort wurde am {{ at }} geändert. Nicht Sie? Sagen Sie uns sofort Bescheid.', 'live'),
  ('email_changed', 'in_app', 'de', 'Ihre E-Mail-Adresse wurde geändert',
    E'Ihre E-Mail-Adresse wurde am {{ at }} geändert. Nicht Sie? Sagen Sie uns sofort Bescheid.', 'live'),
  ('email_changed', 'email', 'de', 'Ihre E-Mail-Adresse wurde geändert',
    E'Am {{ at }} wurde die E-Mail-Adresse Ihres Zugangs geändert. Ab jetzt schreiben wir an die '
    'neue.\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, sagen Sie uns sofort Bescheid.\n', 'live'),
  ('email_changed', 'sms', 'de', null,
    E'Teller: Ihre E-Mail-Adresse wurde am {{ at }} geändert. Nicht Sie? Sagen Sie uns sofort '
    'Bescheid.', 'live'),
  ('phone_changed', 'in_app', 'de', 'Ihre Telefonnummer wurde geändert',
    E'Ihre Telefonnummer wurde am {{ at }} geändert. Nicht Sie? Sagen Sie uns sofort Bescheid.', 'live'),
  ('phone_changed', 'email', 'de', 'Ihre Telefonnummer wurde geändert',
    E'Am {{ at }} wurde die Telefonnummer Ihres Zugangs geändert. Codes per SMS gehen an die '
    'neue.\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, ändern Sie Ihr Passwort und sagen '
    'Sie uns sofort Bescheid.\n', 'live'),
  ('phone_changed', 'sms', 'de', null,
    E'Teller: Ihre Telefonnummer wurde am {{ at }} geändert. Nicht Sie? Sagen Sie uns sofort '
    'Bescheid.', 'live'),
  ('factor_changed', 'in_app', 'de', 'Ihre zweiten Faktoren wurden geändert',
    E'Ihre zweiten Faktoren wurden am {{ at }} geändert. Nicht Sie? Ändern Sie Ihr Passwort.', 'live'),
  ('factor_changed', 'email', 'de', 'Ihre zweiten Faktoren wurden geändert',
    E'Am {{ at }} wurden die zweiten Faktoren Ihres Zugangs geändert.\n\nWaren Sie es, ist '
    'nichts zu tun. Wenn nicht, ändern Sie Ihr Passwort und sagen Sie uns Bescheid.\n', 'live'),
  ('factor_changed', 'sms', 'de', null,
    E'Teller: Ihre zweiten Faktoren wurden am {{ at }} geändert. Nicht Sie? Ändern Sie Ihr '
    'Passwort.', 'live'),
  ('admin_promoted', 'in_app', 'de', 'Sie sind jetzt Administrator',
    E'Ihr Zugang wurde am {{ at }} zu dem eines Administrators. Unerwartet? Sagen Sie uns '
    'Bescheid.', 'live'),
  ('admin_promoted', 'email', 'de', 'Sie sind jetzt Administrator',
    E'Am {{ at }} wurde Ihr Zugang zu dem eines Administrators; seine Sitzungen wurden '
    'beendet.\n\nMelden Sie sich neu an und richten Sie einen zweiten Faktor ein, falls Sie '
    'keinen haben. Haben Sie dies nicht erwartet, sagen Sie uns sofort Bescheid.\n', 'live'),
  ('admin_promoted', 'sms', 'de', null,
    E'Teller: Ihr Zugang wurde am {{ at }} zu dem eines Administrators. Unerwartet? Sagen Sie '
    'uns Bescheid.', 'live'),
  ('account_request_approved', 'in_app', 'de', 'Ihr Konto ist eröffnet',
    E'Ihr Kontoantrag wurde genehmigt. Melden Sie sich an, um das Konto zu nutzen.', 'live'),
  ('account_request_approved', 'email', 'de', 'Ihr Konto ist eröffnet',
    E'Ihr Antrag ({{ type }}) wurde genehmigt, das Konto ist eröffnet.\n\nMelden Sie sich an, um '
    'die Nummer zu sehen und es zu nutzen.\n', 'live'),
  ('account_request_approved', 'sms', 'de', null,
    E'Teller: Ihr Kontoantrag wurde genehmigt. Melden Sie sich an, um das Konto zu nutzen.', 'live'),
  ('account_request_rejected', 'in_app', 'de', 'Ihr Kontoantrag',
    E'Ihr Kontoantrag wurde nicht genehmigt. Den Grund lesen Sie nach dem Anmelden.', 'live'),
  ('account_request_rejected', 'email', 'de', 'Ihr Kontoantrag',
    E'Wir konnten Ihren Antrag ({{ type }}) nicht genehmigen.\n\nMelden Sie sich an, um den '
    'Grund zu lesen. Sie können erneut einen Antrag stellen.\n', 'live'),
  ('account_request_rejected', 'sms', 'de', null,
    E'Teller: Ihr Kontoantrag wurde nicht genehmigt. Den Grund lesen Sie nach dem Anmelden.', 'live'),
  ('account_request_expired', 'in_app', 'de', 'Ihr Kontoantrag ist abgelaufen',
    E'Ihr Kontoantrag ist abgelaufen. Melden Sie sich an, um ihn erneut zu stellen.', 'live'),
  ('account_request_expired', 'email', 'de', 'Ihr Kontoantrag ist abgelaufen',
    E'Über Ihren Antrag ({{ type }}) wurde nicht rechtzeitig entschieden, er ist abgelaufen. Das '
    'tut uns leid.\n\nMelden Sie sich an, um ihn erneut zu stellen.\n', 'live'),
  ('account_request_expired', 'sms', 'de', null,
    E'Teller: Ihr Kontoantrag ist abgelaufen. Melden Sie sich an, um ihn erneut zu stellen.', 'live'),
  ('account_request_waits', 'in_app', 'de', 'Ein Kontoantrag wartet auf Prüfung',
    E'Ein Kontoantrag wartet seit {{ hours }} Stunden. Melden Sie sich an, um ihn zu prüfen.', 'live'),
  ('account_request_waits', 'email', 'de', 'Ein Kontoantrag wartet auf Prüfung',
    E'Ein Antrag ({{ type }}) wartet seit {{ hours }} Stunden.\n\nMelden Sie sich an, um ihn zu '
    'prüfen.\n', 'live'),
  ('change_waits', 'in_app', 'de', 'Eine Änderung wartet auf eine zweite Person',
    E'Eine Änderung wartet seit {{ hours }} Stunden. Melden Sie sich an, um zu entscheiden.', 'live'),
  ('change_waits', 'email', 'de', 'Eine Änderung wartet auf eine zweite Person',
    E'Eine Änderung ({{ operation }}) wartet seit {{ hours }} Stunden auf eine zweite '
    'Person.\n\nMelden Sie sich an, um sie zu genehmigen oder abzulehnen.\n', 'live'),
  ('scheduled_transfer_refused', 'in_app', 'de', 'Eine geplante Überweisung wurde nicht ausgeführt',
    E'Ihre für den {{ day }} geplante Überweisung wurde nicht ausgeführt.', 'live'),
  ('scheduled_transfer_refused', 'email', 'de', 'Eine geplante Überweisung wurde nicht ausgeführt',
    E'Ihre für den {{ day }} geplante Überweisung wurde nicht ausgeführt. Melden Sie sich an, um '
    'den Grund zu sehen; es wurde nichts gebucht.\n', 'live'),
  ('scheduled_transfer_refused', 'sms', 'de', null,
    E'Teller: Ihre für den {{ day }} geplante Überweisung wurde nicht ausgeführt.', 'live'),
  ('ticket_reply', 'in_app', 'de', 'Der Support hat auf Ticket {{ number }} geantwortet',
    E'Der Support hat auf Ihr Ticket {{ number }} geantwortet. Zum Lesen bitte anmelden.', 'live'),
  ('ticket_reply', 'email', 'de', 'Der Support hat auf Ticket {{ number }} geantwortet',
    E'Zu Ihrem Ticket {{ number }} gibt es eine Antwort.\n\nMelden Sie sich an, um sie zu lesen '
    'und zu antworten. Zu Ihrer Sicherheit steht sie nicht in dieser Nachricht.\n', 'live'),
  ('ticket_reply', 'sms', 'de', null,
    E'Teller: Der Support hat auf Ihr Ticket {{ number }} geantwortet. Zum Lesen bitte anmelden.', 'live'),
  ('admin_message', 'in_app', 'de', '{{ title }}',
    E'{{ body }}', 'live'),
  ('admin_message', 'email', 'de', '{{ title }}',
    E'{{ body }}\n', 'live'),
  ('admin_message', 'sms', 'de', null,
    E'Teller: {{ title }}: {{ body }}', 'live'),
  ('announcement', 'in_app', 'de', '{{ title }}',
    E'{{ body }}', 'live'),
  ('announcement', 'email', 'de', '{{ title }}',
    E'{{ body }}\n', 'live');
