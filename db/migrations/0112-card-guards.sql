-- What stands between a card and whoever guesses: the application has to know which keys its cards need, and
-- holders have to know that a PIN is locked.

drop function if exists card_pin_try(uuid, jsonb);
drop function if exists card_open_of(card_payments);
drop function if exists card_sca_refusal(cards, jsonb, text, jsonb, numeric);

-- the keys that are in use are looked up one by one
create index card_secrets_key on card_secrets (key_id);
create index card_pins_key on card_pins (key_id);

with longer(locale, pin, longer_pin, expiry, longer_expiry) as (values
  ('en', '{% when ''wrong_pin'' %}The PIN was wrong.',
    '{% when ''wrong_pin'' %}{% if rule == ''pin_block'' %}The PIN could not be checked.{% else %}'
    'The PIN was wrong.{% endif %}{% if rule == ''pin_lock'' %} After so many wrong PINs it is locked.'
    '{% endif %}',
    'The card has expired, or the expiry was wrong.',
    'The card has expired, or the expiry was wrong.{% if rule == ''cvv_lock'' %} After so many wrong '
    'entries, payments without the card are locked for a while.{% endif %}'),
  ('de', '{% when ''wrong_pin'' %}Die PIN war falsch.',
    '{% when ''wrong_pin'' %}{% if rule == ''pin_block'' %}Die PIN konnte nicht geprüft werden.{% else %}'
    'Die PIN war falsch.{% endif %}{% if rule == ''pin_lock'' %} Nach so vielen falschen PINs ist sie '
    'gesperrt.{% endif %}',
    'Die Karte ist abgelaufen, oder das Ablaufdatum war falsch.',
    'Die Karte ist abgelaufen, oder das Ablaufdatum war falsch.{% if rule == ''cvv_lock'' %} Nach so vielen '
    'falschen Eingaben sind Zahlungen ohne die Karte für eine Weile gesperrt.{% endif %}')
)
update notification_templates t set version = t.version + 1, updated_at = bank_now(),
    body = replace(replace(t.body, l.pin, l.longer_pin), l.expiry, l.longer_expiry)
  from longer l
  where t.type_code = 'card_declined' and t.locale = l.locale
    and (position(l.pin in t.body) > 0 or position(l.expiry in t.body) > 0);
-- where there is a bank already, a trigger has done this
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, updated_at from notification_templates
    where type_code = 'card_declined'
  on conflict do nothing;

-- payments without the card at hand have figures of their own
alter table card_product_versions add column sca_remote jsonb;
-- versions stand, but for this
alter table card_product_versions disable trigger user;
update card_product_versions v set sca_remote = jsonb_build_object('count', 5,
    'amount', trim_scale(100 * power(10::numeric, a.scale))::text)
  from card_products p join assets a on a.code = p.asset where p.id = v.product_id;
alter table card_product_versions enable trigger user;
alter table card_product_versions alter column sca_remote set not null,
  -- {amount, count}, both given
  add constraint card_product_versions_sca_remote_check
    check (sca_remote->>'amount' ~ '^[0-9]+$' and sca_remote->>'count' ~ '^[0-9]+$'),
  drop constraint card_product_versions_sca_check,
  -- the release before refuses what it does not know
  add constraint card_product_versions_sca_check
    check (jsonb_typeof(sca) = 'object' and not sca ? 'remote');

-- a damaged card works until one that follows it is activated
alter table cards add column damaged_at timestamptz(3);

-- an advice in another currency is kept, and whoever decided it is told
drop function if exists card_message_take(jsonb, jsonb);

-- the cards that follow one another: what one of them has used of a limit, the next one has used too
alter table cards add column line_id uuid references cards;
-- closed cards stand, but for this
alter table cards disable trigger user;
with recursive line as (
  select c.id, c.id as line_id from cards c where c.replaces is null
  union all
  select s.id, l.line_id from line l join cards s on s.replaces = l.id)
update cards c set line_id = l.line_id from line l where l.id = c.id;
alter table cards enable trigger user;
alter table cards alter column line_id set not null;
create index cards_line on cards (line_id);
-- made anew from the payments of the whole line
delete from limit_uses u using limit_counters k, cards c
  where k.id = u.counter_id and k.subject = 'card' and c.id = k.subject_id
    and exists (select from cards o where o.line_id = c.line_id and o.id <> c.id);
delete from limit_counters k using cards c
  where k.subject = 'card' and c.id = k.subject_id
    and exists (select from cards o where o.line_id = c.line_id and o.id <> c.id);

-- a limit of merchant categories names them all
alter table limit_counters drop constraint limit_counters_scope_check,
  add constraint limit_counters_scope_check
    check (scope ~ '^[a-z][a-z0-9_]*(/[a-z0-9_]+)*$' and char_length(scope) <= 600);
drop function if exists card_scope_counts(text, text, text);
drop function if exists card_uses(card_payments, card_messages[], numeric[]);
drop function if exists card_counter(cards, text, text);
