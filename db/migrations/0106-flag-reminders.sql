-- Whoever reviews is reminded of a flag once, before it is due.
alter table aml_flags add column reminded_at timestamptz(3);
create index aml_flags_unreminded on aml_flags (due_at) where resolved_at is null and reminded_at is null;

insert into notification_types (code, name, category, mandatory, channels_allowed, channels_default,
  ttl_seconds, lane, enabled, variables, created_at, updated_at) values
  ('aml_flag_due', 'A flag is due soon', 'service', false,
    '{in_app, email, push}', '{in_app, email, push}', 86400, 'common', true,
    '[{"name": "number", "type": "text", "sample": "17", "personal": false},
      {"name": "severity", "type": "text", "sample": "high", "personal": false},
      {"name": "due", "type": "text", "sample": "2026-03-01 17:00", "personal": false}]', now(), now());

insert into notification_templates (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select t.*, 'live', now(), now() from (values
  ('aml_flag_due', 'in_app', 'en', 'A flag is due soon',
    'Flag {{ number }} ({{ severity }}) is due at {{ due }}. Log in to review it.'),
  ('aml_flag_due', 'email', 'en', 'A flag is due soon',
    E'Flag {{ number }} ({{ severity }}) is due at {{ due }}.\n\nLog in to review it.\n'),
  ('aml_flag_due', 'push', 'en', 'A flag is due soon',
    'Flag {{ number }} ({{ severity }}) is due at {{ due }}.'),
  ('aml_flag_due', 'push', 'de', 'Ein Hinweis ist bald fällig',
    'Hinweis {{ number }} ({{ severity }}) ist am {{ due }} fällig.'),
  ('aml_flag_due', 'in_app', 'de', 'Ein Hinweis ist bald fällig',
    'Hinweis {{ number }} ({{ severity }}) ist am {{ due }} fällig. Melden Sie sich an, um ihn zu prüfen.'),
  ('aml_flag_due', 'email', 'de', 'Ein Hinweis ist bald fällig',
    E'Hinweis {{ number }} ({{ severity }}) ist am {{ due }} fällig.\n\nMelden Sie sich an, um ihn zu '
    'prüfen.\n')) t;

-- a database that has its triggers already has kept them by itself
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, created_at from notification_templates
    where type_code = 'aml_flag_due' on conflict do nothing;
