-- News of a card itself: it was issued, activated or closed, the bank has blocked it or lifted that block.
-- What the card was at that moment stands in the event, because it may be something else when it is told.

alter table events
  -- of the row that the event is about, where the type alone does not say it
  add column state text check (state ~ '^[a-z][a-z0-9_]{1,63}$'),
  add constraint events_state_about check (state is null or subject is not null);

update notification_types set enabled = true, updated_at = bank_now(),
    channels_allowed = channels_allowed || '{push}', channels_default = channels_default || '{push}',
    variables =
  '[{"name": "card", "type": "text", "sample": "4242", "personal": true},
    {"name": "state", "type": "text", "sample": "blocked_by_bank", "personal": false}]'
  where code = 'card_status';

with news(locale, text) as (values
  ('en', '{% case state %}{% when ''inactive'' %}is on its way. Activate it when you have it.'
    '{% when ''active'' %}can be used.{% when ''blocked_by_bank'' %}was blocked by us.'
    '{% when ''blocked_by_customer'' %}is no longer blocked by us, only by you.'
    '{% when ''expired'' %}has expired.{% else %}was closed for good.{% endcase %}'),
  ('de', '{% case state %}{% when ''inactive'' %}ist unterwegs. Schalten Sie sie frei, wenn Sie sie haben.'
    '{% when ''active'' %}kann benutzt werden.{% when ''blocked_by_bank'' %}wurde von uns gesperrt.'
    '{% when ''blocked_by_customer'' %}ist nicht mehr von uns gesperrt, nur noch von Ihnen.'
    '{% when ''expired'' %}ist abgelaufen.{% else %}wurde endgültig geschlossen.{% endcase %}')
)
insert into notification_templates
    (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select 'card_status', t.channel, t.locale, t.subject, replace(t.body, '<news>', n.text), 'live', bank_now(),
         bank_now()
    from (values
  ('in_app', 'en', 'Your card', 'Your card ending in {{ card }} <news>'),
  ('email', 'en', 'Your card',
    E'Your card ending in {{ card }} <news>\n\nIf you do not expect this, look at your cards and tell us at '
    'once.\n'),
  ('sms', 'en', null, 'Teller: your card ending in {{ card }} <news> Not expected? Tell us.'),
  ('push', 'en', 'Your card', 'Open the app to read it.'),
  ('in_app', 'de', 'Ihre Karte', 'Ihre Karte mit den Endziffern {{ card }} <news>'),
  ('email', 'de', 'Ihre Karte',
    E'Ihre Karte mit den Endziffern {{ card }} <news>\n\nErwarten Sie das nicht, sehen Sie Ihre Karten an '
    'und sagen Sie uns sofort Bescheid.\n'),
  ('sms', 'de', null, 'Teller: Ihre Karte mit den Endziffern {{ card }} <news> Unerwartet? Bescheid sagen.'),
  ('push', 'de', 'Ihre Karte', 'Zum Lesen bitte die App öffnen.')
  ) t(channel, locale, subject, body) join news n on n.locale = t.locale;

-- a database that has its triggers already has kept them by itself
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, created_at from notification_templates
    where type_code = 'card_status' on conflict do nothing;
