-- A digest that comes back names its first delivery, by which all others that came with it are found. What is
-- sent alone is found by its own id, and has no entry here.
create index notification_deliveries_sent_together on notification_deliveries (provider_id)
  where channel = 'email' and digest_at is not null and provider_id is not null;

-- what waits for a digest lives until then
grant update (expires_at) on notification_deliveries to teller_app;
