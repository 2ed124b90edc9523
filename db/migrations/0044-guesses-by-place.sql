-- Wrong codes are counted by where they come from, so that whoever knows a password cannot shut the owner
-- out. code_failures stays for the release before, which counts for each user only.

create table code_guesses (
  user_id uuid not null references users,
  purpose text not null,
  -- 'device:' and the hash of the device, 'network:' and its address, or 'anywhere'
  place text not null check (char_length(place) between 1 and 100),
  -- in the hour that began at since
  failures integer not null check (failures >= 0),
  since timestamptz(3) not null default now(),
  -- when a right code last came from this device
  proven_at timestamptz(3),
  primary key (user_id, purpose, place)
);
create index code_guesses_since on code_guesses (since);
grant select, insert, update (failures, since, proven_at), delete on code_guesses to teller_app;
