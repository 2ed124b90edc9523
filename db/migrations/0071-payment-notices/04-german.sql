-- The German texts of the same, and the first version of all of them.

insert into notification_templates
    (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select v.*, bank_now(), bank_now() from (values
  ('payment_sent', 'in_app', 'de', 'Zahlung gesendet',
    E'{{ amount }} gingen von Ihrem Konto mit den Endziffern {{ account }} an {{ counterparty }}.', 'live'),
  ('payment_sent', 'email', 'de', 'Zahlung gesendet',
    E'{{ amount }} gingen von Ihrem Konto mit den Endziffern {{ account }} an '
    '{{ counterparty }}.\n\nWar das nicht Ihre Zahlung, sagen Sie uns sofort Bescheid.\n', 'live'),
  ('payment_sent', 'sms', 'de', null,
    E'Teller: {{ amount }} gingen von Ihrem Konto mit den Endziffern {{ account }} ab. Nicht Sie? Sagen Sie '
    'uns Bescheid.', 'live'),
  ('payment_received', 'in_app', 'de', 'Zahlung erhalten',
    E'{{ amount }} kamen von {{ counterparty }} auf Ihr Konto mit den Endziffern {{ account }}.', 'live'),
  ('payment_received', 'email', 'de', 'Zahlung erhalten',
    E'{{ amount }} kamen von {{ counterparty }} auf Ihr Konto mit den Endziffern {{ account }}.\n', 'live'),
  ('payment_received', 'sms', 'de', null,
    E'Teller: {{ amount }} kamen auf Ihr Konto mit den Endziffern {{ account }}.', 'live'),
  ('payment_waiting', 'in_app', 'de', 'Zahlung angenommen',
    E'Ihre Zahlung über {{ amount }} an {{ counterparty }} ist angenommen und noch nicht '
    'ausgeführt.', 'live'),
  ('payment_waiting', 'email', 'de', 'Zahlung angenommen',
    E'Wir haben Ihre Zahlung über {{ amount }} an {{ counterparty }} von Ihrem Konto mit den '
    'Endziffern {{ account }} angenommen. Sie ist noch nicht ausgeführt.\n\nSobald sie es ist, '
    'hören Sie von uns. Nach dem Anmelden sehen Sie den Stand.\n', 'live'),
  ('payment_waiting', 'sms', 'de', null,
    E'Teller: Ihre Zahlung über {{ amount }} ist angenommen und noch nicht ausgeführt.', 'live'),
  ('payment_failed', 'in_app', 'de', 'Zahlung nicht ausgeführt',
    E'Ihre Zahlung über {{ amount }} an {{ counterparty }} wurde nicht ausgeführt. Das Geld ist auf Ihrem '
    'Konto.', 'live'),
  ('payment_failed', 'email', 'de', 'Zahlung nicht ausgeführt',
    E'Ihre Zahlung über {{ amount }} an {{ counterparty }} wurde nicht ausgeführt. Das Geld ist '
    'auf Ihrem Konto mit den Endziffern {{ account }}.\n\nMelden Sie sich an, um mehr zu sehen.\n', 'live'),
  ('payment_failed', 'sms', 'de', null,
    E'Teller: Ihre Zahlung über {{ amount }} wurde nicht ausgeführt. Mehr nach dem Anmelden.', 'live'),
  ('payment_returned', 'in_app', 'de', 'Zahlung zurückgegeben',
    E'Eine Zahlung über {{ amount }} zwischen {{ counterparty }} und Ihrem Konto mit den Endziffern '
    '{{ account }} wurde zurückgegeben.', 'live'),
  ('payment_returned', 'email', 'de', 'Zahlung zurückgegeben',
    E'Eine Zahlung über {{ amount }} zwischen {{ counterparty }} und Ihrem Konto mit den '
    'Endziffern {{ account }} wurde zurückgegeben.\n\nMelden Sie sich an, um mehr zu sehen.\n', 'live'),
  ('payment_returned', 'sms', 'de', null,
    E'Teller: Eine Zahlung über {{ amount }} wurde zurückgegeben. Mehr nach dem Anmelden.', 'live'),
  ('ticket_closed', 'in_app', 'de', 'Ticket {{ number }} ist geschlossen',
    E'Ihr Ticket {{ number }} ist geschlossen. Zum Lesen bitte anmelden.', 'live'),
  ('ticket_closed', 'email', 'de', 'Ticket {{ number }} ist geschlossen',
    E'Ihr Ticket {{ number }} ist geschlossen.\n\nMelden Sie sich an, um es zu lesen. Ist noch '
    'etwas offen, eröffnen Sie bitte ein neues.\n', 'live'),
  ('ticket_closed', 'sms', 'de', null,
    E'Teller: Ihr Ticket {{ number }} ist geschlossen. Zum Lesen bitte anmelden.', 'live'),
  ('account_request', 'in_app', 'de', 'Ihr Kontoantrag ist eingegangen',
    E'Ihr Antrag ({{ type }}) ist eingegangen. Wir entscheiden bald darüber.', 'live'),
  ('account_request', 'email', 'de', 'Ihr Kontoantrag ist eingegangen',
    E'Ihr Antrag ({{ type }}) ist eingegangen. Wir entscheiden bald darüber, und Sie hören von '
    'uns.\n', 'live'),
  ('account_request', 'sms', 'de', null,
    E'Teller: Ihr Kontoantrag ist eingegangen. Wir entscheiden bald darüber.', 'live')
  ) v;

insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, created_at from notification_templates
  on conflict do nothing;
