-- The English texts of payments, tickets that are closed, and requests for accounts.

insert into notification_templates
    (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select v.*, bank_now(), bank_now() from (values
  ('payment_sent', 'in_app', 'en', 'Payment sent',
    E'{{ amount }} went to {{ counterparty }} from your account ending in {{ account }}.', 'live'),
  ('payment_sent', 'email', 'en', 'Payment sent',
    E'{{ amount }} went to {{ counterparty }} from your account ending in {{ account }}.\n\nIf '
    'you did not make this payment, tell us at once.\n', 'live'),
  ('payment_sent', 'sms', 'en', null,
    E'Teller: {{ amount }} went from your account ending in {{ account }}. Not you? Tell us at '
    'once.', 'live'),
  ('payment_received', 'in_app', 'en', 'Payment received',
    E'{{ amount }} came from {{ counterparty }} to your account ending in {{ account }}.', 'live'),
  ('payment_received', 'email', 'en', 'Payment received',
    E'{{ amount }} came from {{ counterparty }} to your account ending in {{ account }}.\n', 'live'),
  ('payment_received', 'sms', 'en', null,
    E'Teller: {{ amount }} came to your account ending in {{ account }}.', 'live'),
  ('payment_waiting', 'in_app', 'en', 'Payment accepted',
    E'Your payment of {{ amount }} to {{ counterparty }} was accepted and is not carried out yet.', 'live'),
  ('payment_waiting', 'email', 'en', 'Payment accepted',
    E'We have accepted your payment of {{ amount }} to {{ counterparty }} from your account '
    'ending in {{ account }}. It is not carried out yet.\n\nYou will hear from us once it is. '
    'Log in to see how it stands.\n', 'live'),
  ('payment_waiting', 'sms', 'en', null,
    E'Teller: your payment of {{ amount }} was accepted and is not carried out yet.', 'live'),
  ('payment_failed', 'in_app', 'en', 'Payment not carried out',
    E'Your payment of {{ amount }} to {{ counterparty }} was not carried out. The money is in your '
    'account.', 'live'),
  ('payment_failed', 'email', 'en', 'Payment not carried out',
    E'Your payment of {{ amount }} to {{ counterparty }} was not carried out. The money is in '
    'your account ending in {{ account }}.\n\nLog in to see more.\n', 'live'),
  ('payment_failed', 'sms', 'en', null,
    E'Teller: your payment of {{ amount }} was not carried out. Log in to see more.', 'live'),
  ('payment_returned', 'in_app', 'en', 'Payment returned',
    E'A payment of {{ amount }} between {{ counterparty }} and your account ending in {{ account }} was '
    'returned.', 'live'),
  ('payment_returned', 'email', 'en', 'Payment returned',
    E'A payment of {{ amount }} between {{ counterparty }} and your account ending in '
    '{{ account }} was returned.\n\nLog in to see more.\n', 'live'),
  ('payment_returned', 'sms', 'en', null,
    E'Teller: a payment of {{ amount }} was returned. Log in to see more.', 'live'),
  ('ticket_closed', 'in_app', 'en', 'Ticket {{ number }} is closed',
    E'Your ticket {{ number }} is closed. Log in to read it.', 'live'),
  ('ticket_closed', 'email', 'en', 'Ticket {{ number }} is closed',
    E'Your ticket {{ number }} is closed.\n\nLog in to read it. If something is left, open a new '
    'ticket.\n', 'live'),
  ('ticket_closed', 'sms', 'en', null,
    E'Teller: your ticket {{ number }} is closed. Log in to read it.', 'live'),
  ('account_request', 'in_app', 'en', 'We have your request for an account',
    E'We have received your request ({{ type }}) and will decide on it soon.', 'live'),
  ('account_request', 'email', 'en', 'We have your request for an account',
    E'We have received your request ({{ type }}) and will decide on it soon. You will hear from '
    'us.\n', 'live'),
  ('account_request', 'sms', 'en', null,
    E'Teller: we have received your request for an account and will decide on it soon.', 'live')
  ) v;
