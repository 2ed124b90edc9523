-- The life of a card: when it was sent, and what its process is told.

alter table cards add column shipped_at timestamptz(3),
  add constraint cards_shipped check (shipped_at is null or kind = 'physical');
-- for the rounds that look after cards whose time has come
create index cards_open on cards (id) where status <> 'closed';
