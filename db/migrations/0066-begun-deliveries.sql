-- What was begun and has not ended is looked through every few seconds: those whose worker has died are few.

create index notification_deliveries_begun on notification_deliveries (lane, claimed_until)
  where status = 'queued' and begun_at is not null;
