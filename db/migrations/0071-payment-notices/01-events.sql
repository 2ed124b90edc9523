-- An event may be about a row that says what happened, such as a transfer: its values are read there when
-- somebody is told. Such an event is written by a trigger, and a worker tells people of it.

alter table events
  add column subject uuid,
  -- nobody was told of it yet
  add column waiting boolean not null default false,
  add constraint events_waiting_about check (not waiting or subject is not null);
create index events_waiting on events (id) where waiting;
