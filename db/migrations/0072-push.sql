-- Browsers that take push messages.

create table push_subscriptions (
  id uuid primary key default uuidv7(),
  user_id uuid not null references users,
  -- SHA-256 of the address that the browser named: the same browser subscribes once, for whoever did last
  endpoint_hash bytea not null unique check (octet_length(endpoint_hash) = 32),
  host text not null check (char_length(host) between 1 and 255),
  -- the address and the keys of the browser, sealed for this row: whoever has them can push
  sealed_target bytea not null,
  -- the key of ours that it subscribed with
  key_version text not null check (char_length(key_version) between 1 and 40),
  -- refusals since it last took something
  refusals smallint not null default 0 check (refusals >= 0),
  created_at timestamptz(3) not null,
  taken_at timestamptz(3)
);
create index push_subscriptions_user on push_subscriptions (user_id, id);
grant select, insert, delete, update (user_id, sealed_target, key_version, refusals, created_at, taken_at)
  on push_subscriptions to teller_app;

-- whoever lets a browser take messages wants them: news are asked for one by one
update notification_types set updated_at = bank_now(), channels_allowed = channels_allowed || '{push}',
    channels_default = channels_default || '{push}'
  where code in ('refresh_reuse', 'new_device', 'password_changed', 'email_changed', 'phone_changed',
    'factor_changed', 'admin_promoted', 'account_request', 'account_request_approved',
    'account_request_rejected', 'account_request_expired', 'account_request_waits', 'change_waits',
    'scheduled_transfer_refused', 'payment_sent', 'payment_received', 'payment_waiting', 'payment_failed',
    'payment_returned', 'ticket_reply', 'ticket_closed', 'admin_message');
update notification_types set updated_at = bank_now(), channels_allowed = channels_allowed || '{push}'
  where code = 'announcement';

-- a locked screen shows them, so they say what has happened and not how much, to whom or in whose words
insert into notification_templates
    (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select t.type_code, 'push', t.locale,
      case when t.type_code in ('admin_message', 'announcement')
        then case t.locale when 'de' then 'Nachricht von {{ bank.name }}'
          else 'Message of {{ bank.name }}' end
        else t.subject end,
      case when t.type_code in ('admin_message', 'announcement') or t.type_code like 'payment\_%'
        then case t.locale when 'de' then 'Zum Lesen bitte die App öffnen.'
          else 'Open the app to read it.' end
        else t.body end,
      'live', bank_now(), bank_now()
    from notification_templates t join notification_types n on n.code = t.type_code
    where t.channel = 'in_app' and t.status = 'live' and t.locale in ('en', 'de')
      and 'push' = any (n.channels_allowed)
  on conflict do nothing;
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, created_at from notification_templates where channel = 'push'
  on conflict do nothing;
