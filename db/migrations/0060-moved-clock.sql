-- In development the bank's clock can be moved forward; elsewhere no program can, its owner included.

alter table bank_settings
  -- whether the clock may be moved: "npm run migrate" writes it, true with NODE_ENV=development only
  add column clock_moves boolean not null default false,
  -- by how much it was moved; bank_now() holds the same
  add column clock_ahead_seconds integer not null default 0,
  add constraint bank_settings_clock_ahead
    check (clock_ahead_seconds = 0 or (clock_moves and clock_ahead_seconds between 0 and 1577880000));
