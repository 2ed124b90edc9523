-- The German texts of codes, and of what concerns an address. A code never stands in a subject.

insert into notification_templates (type_code, channel, locale, subject, body, status) values
  ('email_verification', 'email', 'de', 'Bestätigen Sie Ihre E-Mail-Adresse',
    E'Ihr Code lautet {{ code }}.\n\nGeben Sie ihn innerhalb von {{ minutes }} Minuten ein, um '
    'diese E-Mail-Adresse zu bestätigen. Haben Sie sich nicht bei uns angemeldet, ignorieren '
    'Sie diese Nachricht.\n', 'live'),
  ('phone_verification', 'sms', 'de', null,
    E'Teller: {{ code }} bestätigt Ihre Telefonnummer. Gültig {{ minutes }} Minuten.', 'live'),
  ('login_code', 'email', 'de', 'Ihr Code zum Anmelden',
    E'Ihr Code lautet {{ code }}.\n\nGeben Sie ihn innerhalb von {{ minutes }} Minuten ein, um '
    'sich anzumelden. Wir fragen nie am Telefon oder im Chat danach. Melden Sie sich gerade '
    'nicht selbst an, ändern Sie Ihr Passwort.\n', 'live'),
  ('login_code', 'sms', 'de', null,
    E'Teller: {{ code }} ist Ihr Code zum Anmelden. Gültig {{ minutes }} Minuten. Geben Sie ihn '
    'nie weiter.', 'live'),
  ('payment_code', 'email', 'de', 'Ihr Code für eine Zahlung',
    E'Ihr Code lautet {{ code }}.\n\nEr bestätigt eine Zahlung: {{ payment }}.\n\nGeben Sie ihn '
    'innerhalb von {{ minutes }} Minuten ein, und nur, wenn Betrag und Empfänger stimmen. Wir '
    'fragen nie am Telefon oder im Chat danach. Waren Sie es nicht, ändern Sie Ihr Passwort.\n', 'live'),
  ('payment_code', 'sms', 'de', null,
    E'Teller: {{ code }} zahlt {{ payment }}. Gültig {{ minutes }} Min. Nie weitergeben.', 'live'),
  ('step_up_code', 'email', 'de', 'Ihr Code zur Bestätigung',
    E'Ihr Code lautet {{ code }}.\n\nGeben Sie ihn innerhalb von {{ minutes }} Minuten ein, um '
    'Ihr Vorhaben zu bestätigen. Wir fragen nie am Telefon oder im Chat danach. Waren Sie es '
    'nicht, ändern Sie Ihr Passwort.\n', 'live'),
  ('step_up_code', 'sms', 'de', null,
    E'Teller: {{ code }} bestätigt Ihren Auftrag. Gültig {{ minutes }} Minuten. Geben Sie ihn '
    'nie weiter.', 'live'),
  ('password_reset', 'email', 'de', 'Ihr Code für ein neues Passwort',
    E'Ihr Code lautet {{ code }}.\n\nGeben Sie ihn innerhalb von {{ minutes }} Minuten ein, um '
    'ein neues Passwort zu wählen. Wir fragen nie am Telefon oder im Chat danach. Haben Sie ihn '
    'nicht angefordert, ignorieren Sie diese Nachricht: Ihr Passwort bleibt, wie es ist.\n', 'live'),
  ('email_change', 'email', 'de', 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    E'Ihr Code lautet {{ code }}.\n\nGeben Sie ihn innerhalb von {{ minutes }} Minuten ein, um '
    'diese E-Mail-Adresse für Ihren Zugang zu verwenden. Haben Sie ihn nicht angefordert, '
    'ignorieren Sie diese Nachricht.\n', 'live'),
  ('phone_change', 'sms', 'de', null,
    E'Teller: {{ code }} bestätigt Ihre neue Telefonnummer. Gültig {{ minutes }} Minuten.', 'live'),
  ('admin_invited', 'email', 'de', 'Sie sind als Administrator eingeladen',
    E'Sie sind in die Verwaltung von Teller eingeladen.\n\nIhr Einladungscode lautet:\n\n{{ code '
    '}}\n\nEr gilt einmal, {{ days }} Tage lang. Wählen Sie damit Ihr Passwort, melden Sie sich '
    'an und richten Sie eine Authenticator-App ein; niemand sonst kennt Ihr Passwort. Haben Sie '
    'dies nicht erwartet, beachten Sie die Nachricht nicht.\n', 'live'),
  ('address_taken', 'email', 'de', 'Sie haben bereits einen Zugang',
    E'Jemand, vielleicht Sie selbst, wollte sich mit dieser E-Mail-Adresse registrieren. Sie hat '
    'bereits einen Zugang, deshalb wurde nichts geändert.\n\nWaren Sie es, melden Sie sich wie '
    'gewohnt an. Wenn nicht, müssen Sie nichts tun.\n', 'live'),
  ('password_reset_unknown', 'email', 'de', 'Zu dieser Adresse gibt es keinen Zugang',
    E'Jemand, vielleicht Sie selbst, hat mit dieser E-Mail-Adresse ein neues Passwort '
    'angefordert. Mit ihr lässt sich bei uns kein Zugang benutzen, deshalb gibt es nichts zu '
    'ändern.\n\nWaren Sie es, versuchen Sie es mit einer anderen Adresse oder registrieren Sie '
    'sich. Wenn nicht, ignorieren Sie diese Nachricht.\n', 'live'),
  ('contact_wanted', 'email', 'de', 'Jemand wollte Ihre Kontaktdaten verwenden',
    E'Jemand mit einem anderen Zugang wollte Ihre E-Mail-Adresse oder Telefonnummer dafür '
    'verwenden. Sie gehört zu Ihrem Zugang, deshalb wurde nichts geändert.\n\nSie müssen nichts '
    'tun. Gehören beide Zugänge Ihnen, schreiben Sie uns.\n', 'live'),
  ('contact_wanted', 'sms', 'de', null,
    E'Teller: Jemand wollte Ihre Nummer oder Adresse für einen anderen Zugang verwenden. Nichts '
    'wurde geändert.', 'live');
