-- Of deliveries that waited for the same moment the newest is claimed first, over all rounds of claims; ids
-- are made in the order of time.
create index notification_deliveries_next on notification_deliveries (lane, due_at, id desc)
  where status = 'queued';
drop index notification_deliveries_due;

-- what became of a delivery is known for thirteen months; see notification_deliveries_kept
grant delete on notification_deliveries to teller_app;
