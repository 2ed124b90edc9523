-- Mail of a type with a digest waits for the next one of its person, and goes with all others that wait for
-- it.

alter table notification_deliveries
  add column digest_at timestamptz(3),
  add constraint notification_deliveries_digest check (digest_at is null or channel = 'email');
create index notification_deliveries_digest on notification_deliveries (notification_id)
  where status = 'queued' and digest_at is not null;
grant update (digest_at) on notification_deliveries to teller_app;
