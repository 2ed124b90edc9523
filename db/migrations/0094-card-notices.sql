-- News of card payments: those that were approved, and those that were declined with the reason.

update notification_types set enabled = true, updated_at = bank_now(),
    channels_allowed = channels_allowed || '{push}', channels_default = channels_default || '{push}',
    variables =
  '[{"name": "amount", "type": "money", "sample": "12.34 EUR", "personal": true},
    {"name": "merchant", "type": "text", "sample": "Corner shop", "personal": true},
    {"name": "card", "type": "text", "sample": "4242", "personal": true}]'
  where code = 'card_payment';
update notification_types set enabled = true, updated_at = bank_now(),
    channels_allowed = channels_allowed || '{push}', channels_default = channels_default || '{push}',
    variables =
  '[{"name": "amount", "type": "money", "sample": "12.34 EUR", "personal": true},
    {"name": "merchant", "type": "text", "sample": "Corner shop", "personal": true},
    {"name": "card", "type": "text", "sample": "4242", "personal": true},
    {"name": "reason", "type": "text", "sample": "limit_exceeded", "personal": false},
    {"name": "rule", "type": "text", "sample": "day", "personal": false}]'
  where code = 'card_declined';

with why(locale, text) as (values
  ('en', '{% case reason %}{% when ''insufficient_funds'' %}There is not enough money in the account.'
    '{% when ''limit_exceeded'' %}It passes a limit of the card ({{ rule }}).'
    '{% when ''control'' %}A control of the card does not let it pass ({{ rule }}).'
    '{% when ''sca_required'' %}You have to confirm it, for example with the PIN.'
    '{% when ''wrong_pin'' %}The PIN was wrong.{% when ''pin_locked'' %}The PIN is locked.'
    '{% when ''wrong_cvv'' %}The security code was wrong.{% if rule == ''cvv_lock'' %} '
    'After so many wrong codes, payments without the card are locked for a while.{% endif %}'
    '{% when ''cvv_locked'' %}After wrong security codes, payments without the card are locked for a while.'
    '{% when ''card_blocked'' %}The card is blocked.{% when ''card_inactive'' %}The card is not active yet.'
    '{% when ''expired_card'' %}The card has expired, or the expiry was wrong.'
    '{% else %}Log in to see more.{% endcase %}'),
  ('de', '{% case reason %}{% when ''insufficient_funds'' %}Auf dem Konto ist nicht genug Geld.'
    '{% when ''limit_exceeded'' %}Sie überschreitet ein Limit der Karte ({{ rule }}).'
    '{% when ''control'' %}Eine Regel der Karte lässt sie nicht zu ({{ rule }}).'
    '{% when ''sca_required'' %}Sie müssen sie bestätigen, zum Beispiel mit der PIN.'
    '{% when ''wrong_pin'' %}Die PIN war falsch.{% when ''pin_locked'' %}Die PIN ist gesperrt.'
    '{% when ''wrong_cvv'' %}Der Sicherheitscode war falsch.{% if rule == ''cvv_lock'' %} '
    'Nach so vielen falschen Codes sind Zahlungen ohne die Karte für eine Weile gesperrt.{% endif %}'
    '{% when ''cvv_locked'' %}Nach falschen Sicherheitscodes sind Zahlungen ohne die Karte für eine Weile '
    'gesperrt.{% when ''card_blocked'' %}Die Karte ist gesperrt.'
    '{% when ''card_inactive'' %}Die Karte ist noch nicht freigeschaltet.'
    '{% when ''expired_card'' %}Die Karte ist abgelaufen, oder das Ablaufdatum war falsch.'
    '{% else %}Mehr nach dem Anmelden.{% endcase %}')
)
insert into notification_templates
    (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select t.type_code, t.channel, t.locale, t.subject, replace(t.body, '<why>', w.text), 'live', bank_now(),
         bank_now()
    from (values
  ('card_payment', 'in_app', 'en', 'Card payment',
    '{{ amount }} at {{ merchant }} with your card ending in {{ card }}.'),
  ('card_payment', 'email', 'en', 'Card payment',
    E'You paid {{ amount }} at {{ merchant }} with your card ending in {{ card }}.\n\nIf you did not make '
    'this payment, block the card and tell us at once.\n'),
  ('card_payment', 'sms', 'en', null,
    'Teller: {{ amount }} with your card ending in {{ card }}. Not you? Block the card and tell us.'),
  ('card_payment', 'push', 'en', 'Card payment', 'Open the app to read it.'),
  ('card_declined', 'in_app', 'en', 'Card payment declined',
    '{{ amount }} at {{ merchant }} with your card ending in {{ card }} was declined. <why>'),
  ('card_declined', 'email', 'en', 'Card payment declined',
    E'A payment of {{ amount }} at {{ merchant }} with your card ending in {{ card }} was declined.\n\n'
    '<why>\n'),
  ('card_declined', 'sms', 'en', null,
    'Teller: a payment with your card ending in {{ card }} was declined. Log in to see more.'),
  ('card_declined', 'push', 'en', 'Card payment declined', 'Open the app to read it.'),
  ('card_payment', 'in_app', 'de', 'Kartenzahlung',
    '{{ amount }} bei {{ merchant }} mit Ihrer Karte mit den Endziffern {{ card }}.'),
  ('card_payment', 'email', 'de', 'Kartenzahlung',
    E'Sie haben {{ amount }} bei {{ merchant }} mit Ihrer Karte mit den Endziffern {{ card }} bezahlt.\n\n'
    'War das nicht Ihre Zahlung, sperren Sie die Karte und sagen Sie uns sofort Bescheid.\n'),
  ('card_payment', 'sms', 'de', null,
    'Teller: {{ amount }} mit Ihrer Karte mit den Endziffern {{ card }}. Nicht Sie? Karte sperren und '
    'Bescheid sagen.'),
  ('card_payment', 'push', 'de', 'Kartenzahlung', 'Zum Lesen bitte die App öffnen.'),
  ('card_declined', 'in_app', 'de', 'Kartenzahlung abgelehnt',
    '{{ amount }} bei {{ merchant }} mit Ihrer Karte mit den Endziffern {{ card }} wurden abgelehnt. <why>'),
  ('card_declined', 'email', 'de', 'Kartenzahlung abgelehnt',
    E'Eine Zahlung über {{ amount }} bei {{ merchant }} mit Ihrer Karte mit den Endziffern {{ card }} wurde '
    'abgelehnt.\n\n<why>\n'),
  ('card_declined', 'sms', 'de', null,
    'Teller: Eine Zahlung mit Ihrer Karte mit den Endziffern {{ card }} wurde abgelehnt. Mehr nach dem '
    'Anmelden.'),
  ('card_declined', 'push', 'de', 'Kartenzahlung abgelehnt', 'Zum Lesen bitte die App öffnen.')
  ) t(type_code, channel, locale, subject, body) join why w on w.locale = t.locale;

insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, created_at from notification_templates
    where type_code in ('card_payment', 'card_declined')
  on conflict do nothing;
