-- 3-D Secure: the network asks who pays online, the holder says so, and the payment brings the proof of it.

create table card_authentications (
  id uuid primary key,
  -- the network's id of it
  network_id text not null unique check (char_length(network_id) between 1 and 64),
  -- keyed hash of all that was asked
  content_index bytea not null,
  -- null if the number belongs to no card; any card of the line may pay with the proof
  card_id uuid references cards,
  line_id uuid references cards,
  owner_id uuid references users,
  asset text not null references assets,
  amount minor not null check (amount > 0),
  -- {id, name, city, country, mcc}
  merchant jsonb not null check (jsonb_typeof(merchant) = 'object' and merchant->>'id' <> ''),
  -- a pending one whose time is over has expired
  status text not null check (status in ('pending', 'authenticated', 'declined', 'refused')),
  -- why it was refused, as a payment would have been declined
  reason text,
  rule text,
  -- until when the holder can answer; null if they were not asked
  expires_at timestamptz(3),
  -- when the holder has answered; null if they have not, or were not asked
  decided_at timestamptz(3),
  proof_expires_at timestamptz(3),
  -- the message that was approved with the proof
  spent_by uuid unique references card_messages deferrable initially deferred,
  spent_at timestamptz(3),
  -- of the machine's clock, like all times here
  created_at timestamptz(3) not null,
  constraint card_authentications_card check (num_nonnulls(card_id, line_id, owner_id) in (0, 3)
    and (card_id is not null or status = 'refused')),
  constraint card_authentications_refused check (num_nonnulls(reason, rule) =
    case status when 'refused' then 2 else 0 end),
  constraint card_authentications_asked check (case status when 'refused' then expires_at is null
    when 'authenticated' then true else expires_at is not null end),
  constraint card_authentications_decided check ((decided_at is not null) =
      (expires_at is not null and status in ('authenticated', 'declined'))
    and (decided_at is null or decided_at < expires_at)),
  constraint card_authentications_proof check ((proof_expires_at is not null) = (status = 'authenticated')),
  constraint card_authentications_spent check ((spent_by is null) = (spent_at is null)
    and (spent_by is null or status = 'authenticated'))
);
create index card_authentications_card on card_authentications (card_id);
-- what a holder was asked
create index card_authentications_owner on card_authentications (owner_id, id) where expires_at is not null;
create index card_authentications_line on card_authentications (line_id, created_at)
  where expires_at is not null;
grant select on card_authentications to teller_app;

insert into notification_types (code, name, category, mandatory, channels_allowed, channels_default,
  ttl_seconds, lane, enabled, variables, created_at, updated_at) values
  ('card_challenge', 'Card payment to confirm', 'money', true,
    '{in_app, email, sms, push}', '{in_app, email, push}', 600, 'common', true,
    '[{"name": "amount", "type": "money", "sample": "12.34 EUR", "personal": true},
      {"name": "merchant", "type": "text", "sample": "Corner shop", "personal": true},
      {"name": "card", "type": "text", "sample": "4242", "personal": true}]', now(), now());

insert into notification_templates (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select 'card_challenge', t.*, 'live', now(), now() from (values
  ('in_app', 'en', 'Is it you who pays?',
    'Somebody wants to pay {{ amount }} at {{ merchant }} with your card ending in {{ card }}. Approve or '
    'decline it in the app within a few minutes.'),
  ('email', 'en', 'Is it you who pays?',
    E'Somebody wants to pay {{ amount }} at {{ merchant }} with your card ending in {{ card }}.\n\nApprove '
    'or decline it in the app within a few minutes. If it is not you, decline it and block the card there.'
    '\n'),
  ('sms', 'en', null,
    'Teller: confirm a payment with your card ending in {{ card }} in the app. Not you? Decline it and '
    'block the card there.'),
  ('push', 'en', 'Is it you who pays?', 'Open the app to approve or decline a card payment.'),
  ('in_app', 'de', 'Zahlen Sie gerade?',
    'Jemand möchte mit Ihrer Karte mit den Endziffern {{ card }} bei {{ merchant }} {{ amount }} zahlen. '
    'Bestätigen Sie es innerhalb weniger Minuten in der App, oder lehnen Sie es ab.'),
  ('email', 'de', 'Zahlen Sie gerade?',
    E'Jemand möchte mit Ihrer Karte mit den Endziffern {{ card }} bei {{ merchant }} {{ amount }} zahlen.\n'
    '\nBestätigen Sie es innerhalb weniger Minuten in der App, oder lehnen Sie es ab. Sind Sie es nicht, '
    'lehnen Sie es ab, und sperren Sie dort die Karte.\n'),
  ('sms', 'de', null,
    'Teller: Bitte bestätigen Sie in der App eine Zahlung mit Karte {{ card }}. Nicht Sie? Dort ablehnen '
    'und Karte sperren.'),
  ('push', 'de', 'Zahlen Sie gerade?', 'Zum Bestätigen oder Ablehnen bitte die App öffnen.')
  ) t(channel, locale, subject, body);

-- a database that has its triggers already has kept them by itself
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, created_at from notification_templates
    where type_code = 'card_challenge' on conflict do nothing;
