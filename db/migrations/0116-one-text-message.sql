-- The code of a payment with a long payee is one text message. Only where nobody has written another text.

update notification_templates set version = version + 1, updated_at = bank_now(),
    body = 'Teller: {{ code }} pays {{ payment }}. Valid {{ minutes }} min. Never share it.'
  where type_code = 'payment_code' and channel = 'sms' and locale = 'en' and updated_by is null
    and body = 'Teller: {{ code }} pays {{ payment }}. Valid {{ minutes }} min. Never tell it to anyone.';
-- a database that has its triggers already has kept it by itself
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, updated_at from notification_templates
    where type_code = 'payment_code' and channel = 'sms' and locale = 'en'
  on conflict do nothing;
