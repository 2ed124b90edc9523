-- The feed of a person has an order in which it was shown, and the person has looked at it up to a place.

-- what was shown later has a higher place, whenever its event happened; given under the lock of the counts
alter table notifications add column position bigint check (position > 0);

alter table notification_counts
  -- the place of the newest one that was shown
  add column shown bigint not null default 0 check (shown >= 0),
  -- the place up to which the person has looked
  add column seen bigint not null default 0 check (seen between 0 and shown),
  -- shown since then, and not read one by one
  add column unseen bigint not null default 0 check (unseen >= 0);

update notifications n set position = o.place
  from (select id, row_number() over (partition by user_id order by shown_at, id) as place
          from notifications where shown_at is not null) o
 where o.id = n.id;
-- nobody knows what was looked at until now
update notification_counts c set shown = o.shown, seen = o.shown
  from (select user_id, max(position) as shown from notifications where position is not null
          group by user_id) o
 where o.user_id = c.user_id;
create unique index notifications_position on notifications (user_id, position) where position is not null;
