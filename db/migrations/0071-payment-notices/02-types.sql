-- The types of what happens to payments, tickets and requests for accounts: they are written from now on.

update notification_types set enabled = true, updated_at = bank_now(), variables =
  '[{"name": "amount", "type": "money", "sample": "1234.56 EUR", "personal": true},
    {"name": "counterparty", "type": "text", "sample": "Hélène Müller", "personal": true},
    {"name": "account", "type": "text", "sample": "0190", "personal": true}]'
  where code in ('payment_sent', 'payment_received', 'payment_waiting', 'payment_failed', 'payment_returned');
update notification_types set enabled = true, updated_at = bank_now(), variables =
  '[{"name": "number", "type": "text", "sample": "T-100001", "personal": false}]'
  where code = 'ticket_closed';
-- whoever has just asked reads it in the feed
update notification_types
  set enabled = true, updated_at = bank_now(), channels_default = '{in_app}', variables =
  '[{"name": "type", "type": "text", "sample": "Current account", "personal": false}]'
  where code = 'account_request';
