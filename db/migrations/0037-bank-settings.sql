-- What the functions of the books know of the bank. "npm run migrate" writes it from the configuration.

create table bank_settings (
  only_row boolean primary key default true check (only_row),
  -- in which the bank's days begin and end
  time_zone text not null default 'Europe/Berlin'
    constraint bank_settings_zone
      check (timestamptz '2000-01-01 00:00:00+00' at time zone time_zone is not null),
  -- how far the clocks of the database and of a process of the service may be apart
  clock_tolerance_seconds integer not null default 10 check (clock_tolerance_seconds between 1 and 3600)
);
insert into bank_settings default values;
grant select on bank_settings to teller_app;
