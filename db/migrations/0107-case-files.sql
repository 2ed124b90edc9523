-- Files that reviewers keep with a flag.
create table aml_attachments (
  id uuid primary key,
  flag_id uuid not null references aml_flags,
  file_name text not null check (char_length(file_name) between 1 and 255),
  content_type text not null,
  size_bytes integer not null check (size_bytes > 0),
  sha256 bytea not null check (octet_length(sha256) = 32),
  -- where it lies in the store
  object_key text not null,
  attached_by uuid not null references users,
  created_at timestamptz(3) not null default bank_now(),
  constraint aml_attachments_object unique (object_key)
);
create index aml_attachments_flag on aml_attachments (flag_id, id);
grant select on aml_attachments to teller_app;
