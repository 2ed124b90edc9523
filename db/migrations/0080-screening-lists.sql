-- Sanctions lists as they were loaded from files, and their entries.

-- Each load of a file, whether or not it took effect.
create table screening_list_loads (
  id uuid primary key default uuidv7(),
  source text not null
    check (source in ('un', 'ofac_csv', 'ofac_xml', 'ofac_advanced', 'eu', 'uk', 'opensanctions', 'own')),
  -- counts up with each file of the source that took effect; of the version in force if nothing changed
  version integer check (version > 0),
  status text not null check (status in ('loaded', 'unchanged', 'refused', 'pending_change')),
  checksum text not null check (checksum ~ '^[0-9a-f]{64}$'),
  -- what the file says of itself
  published_at timestamptz(3),
  -- {person, company, vessel, aircraft, names}
  counts jsonb not null,
  added integer not null default 0 check (added >= 0),
  changed integer not null default 0 check (changed >= 0),
  removed integer not null default 0 check (removed >= 0),
  -- {line, reason} of a broken file
  error jsonb,
  agreed_by uuid references users,
  -- when it took effect
  loaded_at timestamptz(3),
  created_at timestamptz(3) not null default bank_now(),
  constraint screening_list_loads_error check ((status = 'refused') = (error is not null)),
  constraint screening_list_loads_in_force check ((status = 'loaded') = (loaded_at is not null))
);
create unique index screening_list_loads_version on screening_list_loads (source, version)
  where status = 'loaded';
grant select, insert, update (status, version, counts, published_at, agreed_by, loaded_at, added,
  changed, removed)
  on screening_list_loads to teller_app;

-- Who stands on a list. An entry that the list gives another id stays the same row.
create table screening_entries (
  id uuid primary key default uuidv7(),
  source text not null,
  ref text not null check (ref <> ''),
  former_refs text[] not null default '{}',
  kind text not null check (kind in ('person', 'company', 'vessel', 'aircraft')),
  -- [{name, quality}]
  names jsonb not null,
  -- birth dates, gender, nationalities, countries, identifiers
  details jsonb not null,
  programme text,
  reference text,
  -- of all that the list says
  content_hash text not null,
  -- of kind, names and dates of birth
  identity_hash text not null,
  since_version integer not null check (since_version > 0),
  -- the version that it is missing from; null while it is on the list
  removed_version integer check (removed_version > since_version)
);
create unique index screening_entries_ref on screening_entries (source, ref) where removed_version is null;
create index screening_entries_since on screening_entries (source, since_version);
grant select, insert, update (ref, former_refs, kind, names, details, programme, reference, content_hash,
  identity_hash, since_version, removed_version) on screening_entries to teller_app;

-- Entries of a file that is being loaded, or that waits for a second person.
create table screening_staged (
  load_id uuid not null references screening_list_loads,
  ref text not null,
  kind text not null,
  names jsonb not null,
  details jsonb not null,
  programme text,
  reference text,
  content_hash text not null,
  identity_hash text not null,
  primary key (load_id, ref)
);
grant select, insert, delete on screening_staged to teller_app;
