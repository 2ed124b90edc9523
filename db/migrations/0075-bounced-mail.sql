-- Mail that comes back: the address gets no more, and the person is told in the app.

-- of the address that a mail went to, in lower case: whom it concerns is known without keeping the address
alter table notification_deliveries add column address_hash bytea
  constraint notification_deliveries_address_hash check (octet_length(address_hash) = 32);
grant update (address_hash) on notification_deliveries to teller_app;

-- An address that mail does not reach. A row ends when somebody lifts it, or its owner proves the address.
create table suppressed_addresses (
  id uuid primary key default uuidv7(),
  address_hash bytea not null check (octet_length(address_hash) = 32),
  -- which mail showed it
  delivery_id uuid not null references notification_deliveries,
  -- refused while it was sent, or returned later
  reason text not null check (reason in ('refused', 'bounced')),
  created_at timestamptz(3) not null,
  lifted_at timestamptz(3),
  -- null if the owner proved the address
  lifted_by uuid references users,
  constraint suppressed_addresses_lifted check (lifted_by is null or lifted_at is not null)
);
create unique index suppressed_addresses_now on suppressed_addresses (address_hash) where lifted_at is null;
create index suppressed_addresses_delivery on suppressed_addresses (delivery_id);
create index suppressed_addresses_lifter on suppressed_addresses (lifted_by) where lifted_by is not null;
grant select, update (lifted_at, lifted_by) on suppressed_addresses to teller_app;

-- what a sent mail held is kept until it cannot come back any more
create index events_sealed on events (created_at) where sealed_content is not null;

insert into notification_types (code, name, category, mandatory, channels_allowed, channels_default,
  ttl_seconds, lane, enabled, variables, created_at, updated_at) values
  ('mail_undeliverable', 'Mail does not arrive', 'service', false,
    '{in_app, sms}', '{in_app}', 604800, 'common', true,
    '[{"name": "address", "type": "text", "sample": "a•••@example.com", "personal": true}]', now(), now());

insert into notification_templates (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select t.*, 'live', now(), now() from (values
  ('mail_undeliverable', 'in_app', 'en', 'Our mail does not reach you',
    'Mail to {{ address }} came back, so we stopped writing to it. Check your email address and correct it.'),
  ('mail_undeliverable', 'sms', 'en', null::text,
    'Teller: our mail does not reach you. Log in and correct your email address.'),
  ('mail_undeliverable', 'in_app', 'de', 'Unsere Mail erreicht Sie nicht',
    'Mail an {{ address }} kam zurück, deshalb schreiben wir nicht mehr dorthin. Bitte berichtigen Sie Ihre '
    'E-Mail-Adresse.'),
  ('mail_undeliverable', 'sms', 'de', null,
    'Teller: Unsere Mail erreicht Sie nicht. Bitte berichtigen Sie Ihre E-Mail-Adresse.')) t;

-- a database that has its triggers already has kept them by itself
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, created_at from notification_templates
    where type_code = 'mail_undeliverable' on conflict do nothing;
