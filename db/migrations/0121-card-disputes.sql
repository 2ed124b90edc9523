-- Disputes: a holder says that a card payment was not right, the bank decides, and the network has the last
-- word. Money is given back provisionally meanwhile.

create table card_disputes (
  id uuid primary key,
  payment_id uuid not null references card_payments,
  owner_id uuid not null references users,
  asset text not null references assets,
  reason text not null check (reason in ('unauthorised', 'duplicate', 'wrong_amount', 'not_received',
    'not_as_described', 'cancelled', 'credit_not_processed')),
  explanation text not null check (char_length(explanation) between 1 and 2000),
  -- of what was booked
  amount minor not null check (amount > 0),
  status text not null default 'in_review' check (status in ('in_review', 'filed', 'won', 'lost', 'rejected',
    'withdrawn', 'refunded')),
  -- what the merchant has given back since, and is disputed no more
  refunded minor not null default 0,
  -- the person who was the first of two to accept it
  first_by uuid references users,
  first_at timestamptz(3),
  decided_by uuid references users,
  decided_at timestamptz(3),
  decision_reason text check (char_length(decision_reason) between 1 and 500),
  -- what was given provisionally, with the part of it that is fees of the payment, and what was taken back
  credited minor not null default 0 check (credited >= 0),
  credited_fee minor not null default 0,
  taken_back minor not null default 0,
  -- the holder's account, or that of the bank which took it in its place
  credited_account_id uuid references accounts,
  -- when the decision, then the answer of the network, is due, and when somebody was reminded of it
  due_at timestamptz(3) not null,
  reminded_at timestamptz(3),
  -- what the network was last told is claimed
  claimed minor,
  ended_at timestamptz(3),
  created_at timestamptz(3) not null default bank_now(),
  updated_at timestamptz(3) not null default bank_now(),
  constraint card_disputes_refunded check (refunded between 0 and amount),
  constraint card_disputes_credited check (credited_fee between 0 and credited and taken_back between 0
    and credited and (credited > 0) = (credited_account_id is not null)),
  constraint card_disputes_first check ((first_by is null) = (first_at is null)),
  constraint card_disputes_decided check ((decided_by is null) = (decided_at is null)
    and (decided_by is null) = (decision_reason is null)
    and (status not in ('filed', 'won', 'lost', 'rejected') or decided_by is not null)),
  constraint card_disputes_two check (first_by <> decided_by or status = 'rejected'),
  constraint card_disputes_filed check (status not in ('filed', 'won', 'lost') or credited > 0),
  constraint card_disputes_open check (status not in ('in_review', 'rejected') or credited = 0),
  constraint card_disputes_lost check (status not in ('lost', 'withdrawn') or taken_back = credited),
  constraint card_disputes_ended check ((status in ('in_review', 'filed')) = (ended_at is null)),
  constraint card_disputes_claimed check (claimed is null or claimed >= 0 and credited > 0)
);
-- one at a time
create unique index card_disputes_one on card_disputes (payment_id) where status in ('in_review', 'filed');
create index card_disputes_payment on card_disputes (payment_id);
create index card_disputes_owner on card_disputes (owner_id, id);
create index card_disputes_status on card_disputes (status, id);
create index card_disputes_account on card_disputes (credited_account_id) where status = 'filed';
-- for the watch of their processes
create index card_disputes_unended on card_disputes (id)
  where ended_at is null
    or credited > 0 and claimed is distinct from 0 and status in ('withdrawn', 'refunded');
grant select on card_disputes to teller_app;

-- What was booked for a dispute.
create table card_dispute_postings (
  id uuid primary key,
  dispute_id uuid not null references card_disputes,
  kind text not null check (kind in ('dispute_credit', 'dispute_reversal', 'dispute_settlement')),
  amount minor not null check (amount > 0),
  transaction_id uuid not null unique references ledger_transactions,
  created_at timestamptz(3) not null default bank_now()
);
create index card_dispute_postings_dispute on card_dispute_postings (dispute_id, id);
grant select on card_dispute_postings to teller_app;

-- Files that the holder has handed in.
create table card_dispute_attachments (
  upload_id uuid primary key references uploads,
  dispute_id uuid not null references card_disputes
);
create index card_dispute_attachments_dispute on card_dispute_attachments (dispute_id, upload_id);
grant select, insert on card_dispute_attachments to teller_app;

insert into source_rights (source_type, kind, permits) values
  ('card_dispute', 'dispute_credit', 'must_book'), ('card_dispute', 'dispute_reversal', 'must_book');

-- what the account has become is read from the account; what has become of the dispute is in the event
update notification_types set enabled = true, updated_at = bank_now(),
    channels_allowed = channels_allowed || '{push}', channels_default = channels_default || '{push}',
    variables =
  '[{"name": "amount", "type": "money", "sample": "12.34 EUR", "personal": true},
    {"name": "merchant", "type": "text", "sample": "Corner shop", "personal": true},
    {"name": "card", "type": "text", "sample": "4242", "personal": true},
    {"name": "state", "type": "text", "sample": "filed", "personal": false}]'
  where code = 'dispute_update';

with news(locale, text) as (values
  ('en', '{% case state %}{% when ''filed'' %}was accepted. We have put the money into your account for now; '
    'it is yours if the card network agrees.'
    '{% when ''won'' %}was decided in your favour. The money stays in your account.'
    '{% when ''lost'' %}was decided against you. We have taken the money back out of your account.'
    '{% when ''refunded'' %}has ended, because the shop has given the money back.'
    '{% else %}was not accepted. Open the app to see why.{% endcase %}'),
  ('de', '{% case state %}{% when ''filed'' %}wurde angenommen. Das Geld ist vorläufig auf Ihrem Konto; es '
    'gehört Ihnen, wenn das Kartennetz zustimmt.'
    '{% when ''won'' %}wurde zu Ihren Gunsten entschieden. Das Geld bleibt auf Ihrem Konto.'
    '{% when ''lost'' %}wurde gegen Sie entschieden. Wir haben das Geld wieder von Ihrem Konto abgebucht.'
    '{% when ''refunded'' %}ist beendet, weil das Geschäft das Geld zurückgegeben hat.'
    '{% else %}wurde nicht angenommen. Den Grund sehen Sie in der App.{% endcase %}')
)
insert into notification_templates
    (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select 'dispute_update', t.channel, t.locale, t.subject, replace(t.body, '<news>', n.text), 'live',
         bank_now(), bank_now()
    from (values
  ('in_app', 'en', 'Your dispute', 'Your dispute of {{ amount }} at {{ merchant }} <news>'),
  ('email', 'en', 'Your dispute',
    E'Your dispute of {{ amount }} at {{ merchant }}, paid with your card ending in {{ card }}, <news>\n'),
  ('sms', 'en', null, 'Teller: your dispute of {{ amount }} {% case state %}'
    '{% when ''filed'' %}was accepted: the money is in your account for now.'
    '{% when ''won'' %}is won: the money stays.{% when ''lost'' %}is lost: the money was taken back.'
    '{% when ''refunded'' %}has ended: the shop has given it back.'
    '{% else %}was not accepted.{% endcase %}'),
  ('push', 'en', 'Your dispute', 'Open the app to read it.'),
  ('in_app', 'de', 'Ihre Reklamation', 'Ihre Reklamation über {{ amount }} bei {{ merchant }} <news>'),
  ('email', 'de', 'Ihre Reklamation',
    E'Ihre Reklamation über {{ amount }} bei {{ merchant }}, gezahlt mit Ihrer Karte mit den Endziffern '
    '{{ card }}, <news>\n'),
  ('sms', 'de', null, 'Teller: Ihre Reklamation über {{ amount }} {% case state %}'
    '{% when ''filed'' %}wurde angenommen: Das Geld ist vorläufig auf Ihrem Konto.'
    '{% when ''won'' %}ist gewonnen: Das Geld bleibt.{% when ''lost'' %}ist verloren: Das Geld ist abgebucht.'
    '{% when ''refunded'' %}ist beendet: Das Geschäft hat es zurückgegeben.'
    '{% else %}wurde nicht angenommen.{% endcase %}'),
  ('push', 'de', 'Ihre Reklamation', 'Zum Lesen bitte die App öffnen.')
  ) t(channel, locale, subject, body) join news n on n.locale = t.locale;

insert into notification_types (code, name, category, mandatory, channels_allowed, channels_default,
  ttl_seconds, lane, enabled, variables, created_at, updated_at) values
  ('card_dispute_due', 'A dispute is due', 'service', false,
    '{in_app, email, push}', '{in_app, email, push}', 86400, 'common', true,
    '[{"name": "status", "type": "text", "sample": "in_review", "personal": false}]', now(), now());

insert into notification_templates (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select 'card_dispute_due', t.*, 'live', now(), now() from (values
  ('in_app', 'en', 'A dispute is due',
    '{% if status == ''filed'' %}The card network has not answered a dispute in time.{% else %}A dispute '
    'should have been decided by now.{% endif %} Log in to look at it.'),
  ('email', 'en', 'A dispute is due',
    E'{% if status == ''filed'' %}The card network has not answered a dispute in time.{% else %}A dispute '
    'should have been decided by now.{% endif %}\n\nLog in to look at it.\n'),
  ('push', 'en', 'A dispute is due', 'Open the back office to look at it.'),
  ('in_app', 'de', 'Eine Reklamation ist fällig',
    '{% if status == ''filed'' %}Das Kartennetz hat auf eine Reklamation nicht rechtzeitig geantwortet.'
    '{% else %}Über eine Reklamation sollte schon entschieden sein.{% endif %} Melden Sie sich an, um sie '
    'anzusehen.'),
  ('email', 'de', 'Eine Reklamation ist fällig',
    E'{% if status == ''filed'' %}Das Kartennetz hat auf eine Reklamation nicht rechtzeitig geantwortet.'
    '{% else %}Über eine Reklamation sollte schon entschieden sein.{% endif %}\n\nMelden Sie sich an, um '
    'sie anzusehen.\n'),
  ('push', 'de', 'Eine Reklamation ist fällig', 'Zum Ansehen bitte das Backoffice öffnen.')
  ) t(channel, locale, subject, body);

-- a database that has its triggers already has kept them by itself
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, created_at from notification_templates
    where type_code in ('dispute_update', 'card_dispute_due') on conflict do nothing;
