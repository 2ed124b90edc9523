-- Notices about a login are told as their person prefers, with the moment as the reader writes it; and
-- whoever switches a channel of them off is told that.

-- also what was written before: it shows what does not read as a moment as it is
update notification_types set updated_at = bank_now(),
    variables = (select jsonb_agg(case when v ->> 'name' = 'at'
        then v || '{"type": "moment", "sample": "2026-03-01T09:30:00Z"}' else v end order by place)
      from jsonb_array_elements(variables) with ordinality x(v, place))
  where code in ('refresh_reuse', 'new_device', 'password_changed', 'email_changed', 'phone_changed',
    'factor_changed', 'admin_promoted');

comment on column notification_deliveries.addressed is
  'told whatever its person prefers: at the address that the event names, or where nothing else is left';

insert into notification_types (code, name, category, mandatory, channels_allowed, channels_default,
  ttl_seconds, lane, enabled, variables, created_at, updated_at) values
  ('security_notices_off', 'Security notices switched off', 'security', true,
    '{in_app, email, sms, push}', '{in_app, email, push}', 259200, 'common', true,
    '[{"name": "at", "type": "moment", "sample": "2026-03-01T09:30:00Z", "personal": false}]', now(), now());

insert into notification_templates (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select 'security_notices_off', t.*, 'live', now(), now() from (values
  ('in_app', 'en', 'Security notices were switched off',
    'Security notices were switched off on {{ at }}. Not you? Change your password.'),
  ('email', 'en', 'Security notices were switched off',
    E'On {{ at }} a channel was switched off on which we tell you what happens to your login.\n\nIf it was '
    'you, there is nothing to do. If not, change your password, look at your notification settings and tell '
    'us at once.\n'),
  ('sms', 'en', null::text,
    'Teller: security notices were switched off on {{ at }}. Not you? Change your password.'),
  ('push', 'en', 'Security notices were switched off',
    'Security notices were switched off on {{ at }}. Not you? Change your password.'),
  ('in_app', 'de', 'Sicherheitsmeldungen wurden abgeschaltet',
    'Sicherheitsmeldungen wurden am {{ at }} abgeschaltet. Nicht Sie? Ändern Sie Ihr Passwort.'),
  ('email', 'de', 'Sicherheitsmeldungen wurden abgeschaltet',
    E'Am {{ at }} wurde ein Weg abgeschaltet, auf dem wir Ihnen melden, was mit Ihrem Zugang geschieht.\n\n'
    'Waren Sie es, ist nichts zu tun. Wenn nicht, ändern Sie Ihr Passwort, prüfen Sie die Einstellungen '
    'Ihrer Benachrichtigungen und sagen Sie uns sofort Bescheid.\n'),
  ('sms', 'de', null,
    'Teller: Sicherheitsmeldungen wurden am {{ at }} abgeschaltet. Nicht Sie? Ändern Sie Ihr Passwort.'),
  ('push', 'de', 'Sicherheitsmeldungen wurden abgeschaltet',
    'Sicherheitsmeldungen wurden am {{ at }} abgeschaltet. Nicht Sie? Ändern Sie Ihr Passwort.')) t;

-- whoever reads it may have the right address: proving it once more is enough
with clearer(locale, said, better) as (values
  ('en', 'Check your email address and correct it.',
    'Correct your email address, or prove it once more if it is right.'),
  ('de', 'Bitte berichtigen Sie Ihre E-Mail-Adresse.',
    'Bitte berichtigen Sie Ihre E-Mail-Adresse, oder bestätigen Sie sie erneut, wenn sie stimmt.')
)
update notification_templates t set version = t.version + 1, updated_at = bank_now(),
    body = replace(t.body, c.said, c.better)
  from clearer c
  where t.type_code = 'mail_undeliverable' and t.channel = 'in_app' and t.locale = c.locale
    and position(c.said in t.body) > 0;

-- a database that has its triggers already has kept them by itself
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, updated_at from notification_templates
    where type_code in ('security_notices_off', 'mail_undeliverable') on conflict do nothing;
