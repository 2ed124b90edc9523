-- Identity checks: a person says who they are and hands in documents, and the bank approves, rejects or asks
-- for changes.

-- Which status an application may get next; one of KYC and one of KYB move alike.
create table compliance_moves (
  status text not null,
  next text not null,
  primary key (status, next)
);
insert into compliance_moves (status, next) values
  ('submitted', 'in_review'), ('submitted', 'changes_requested'), ('submitted', 'rejected'),
  ('submitted', 'expired'), ('submitted', 'withdrawn'),
  ('in_review', 'changes_requested'), ('in_review', 'approved'), ('in_review', 'rejected'),
  ('in_review', 'withdrawn'),
  ('changes_requested', 'submitted'), ('changes_requested', 'expired'), ('changes_requested', 'withdrawn');
grant select on compliance_moves to teller_app;

-- What a person has filled in so far, for the fields that their profile does not have.
create table kyc_drafts (
  user_id uuid primary key references users,
  form jsonb not null check (jsonb_typeof(form) = 'object'),
  saved_at timestamptz(3) not null default bank_now()
);
grant select on kyc_drafts to teller_app;

create table kyc_applications (
  id uuid primary key,
  user_id uuid not null references users,
  status text not null default 'submitted' check (status in ('submitted', 'in_review',
    'changes_requested', 'approved', 'rejected', 'expired', 'withdrawn')),
  -- how often it was submitted
  round smallint not null default 1 check (round >= 1),
  form jsonb not null check (jsonb_typeof(form) = 'object'),
  -- the types of documents that it needs
  required text[] not null check (cardinality(required) > 0),
  -- the level that approval gives
  grants smallint not null check (grants in (1, 2)),
  -- two people have to approve it
  needs_second boolean not null,
  first_by uuid references users,
  first_at timestamptz(3),
  -- since when it has its status, when that ends by itself, and when its process does something next
  status_at timestamptz(3) not null default bank_now(),
  due_at timestamptz(3),
  look_at timestamptz(3),
  reminders smallint not null default 0,
  submitted_at timestamptz(3) not null default bank_now(),
  -- the last decision that stands
  decision text check (decision in ('approve', 'reject', 'request_changes')),
  decided_by uuid references users,
  decided_at timestamptz(3),
  -- of a rejection: why, whether the person may apply again, and from when on
  code text check (code ~ '^[a-z_]{1,40}$'),
  final boolean,
  retry_at timestamptz(3),
  -- what the person reads
  message text check (char_length(message) between 1 and 1000),
  -- what has to be changed: [{field or document_id with document_type, code, note}]
  items jsonb not null default '[]' check (jsonb_typeof(items) = 'array'),
  ended_at timestamptz(3),
  created_at timestamptz(3) not null default bank_now(),
  updated_at timestamptz(3) not null default bank_now(),
  constraint kyc_applications_ended check ((status in ('submitted', 'in_review', 'changes_requested'))
    = (ended_at is null)),
  constraint kyc_applications_first check ((first_by is null) = (first_at is null)),
  constraint kyc_applications_decided check ((decision is null) = (decided_by is null)
    and (decision is null) = (decided_at is null)),
  constraint kyc_applications_approved check ((status = 'approved') = (decision = 'approve'
    and decision is not null)),
  constraint kyc_applications_two check (status <> 'approved' or not needs_second
    or first_by is not null and first_by <> decided_by),
  constraint kyc_applications_rejected check ((status = 'rejected') = (final is not null)
    and (retry_at is null or final = false)),
  constraint kyc_applications_asked check (status <> 'changes_requested' or jsonb_array_length(items) > 0),
  constraint kyc_applications_due check ((status in ('submitted', 'changes_requested')) = (due_at is not null)
    and (due_at is null) = (look_at is null)),
  constraint kyc_applications_not_by_oneself check (decided_by <> user_id and first_by <> user_id)
);
-- one at a time
create unique index kyc_applications_one on kyc_applications (user_id) where ended_at is null;
create index kyc_applications_user on kyc_applications (user_id, id);
create index kyc_applications_status on kyc_applications (status, id);
create index kyc_applications_country on kyc_applications ((form->'address'->>'country'), id);
create index kyc_applications_due on kyc_applications (look_at) where look_at is not null;
grant select on kyc_applications to teller_app;

create table kyc_documents (
  upload_id uuid primary key references uploads,
  application_id uuid not null references kyc_applications,
  type text not null check (type in ('passport', 'id_card_front', 'id_card_back', 'residence_permit_front',
    'residence_permit_back', 'driving_licence_front', 'driving_licence_back', 'proof_of_address', 'selfie',
    'source_of_funds')),
  -- when it came; null for what comes while nobody has asked for it, which never counts
  arrived_at timestamptz(3),
  state text not null default 'uploaded' check (state in ('uploaded', 'accepted', 'rejected')),
  code text check (code ~ '^[a-z_]{1,40}$'),
  reviewed_by uuid references users,
  reviewed_at timestamptz(3),
  constraint kyc_documents_reviewed check ((state = 'uploaded') = (reviewed_by is null)
    and (reviewed_by is null) = (reviewed_at is null)),
  constraint kyc_documents_arrived check (arrived_at is not null or state = 'uploaded'),
  constraint kyc_documents_code check (code is null or state = 'rejected')
);
create index kyc_documents_application on kyc_documents (application_id, type, arrived_at);
grant select, insert (upload_id, application_id, type) on kyc_documents to teller_app;

-- What was decided about an application, with all that the decision went by.
create table kyc_decisions (
  id uuid primary key,
  application_id uuid not null references kyc_applications,
  round smallint not null,
  kind text not null check (kind in ('approve', 'reject', 'request_changes')),
  -- false for the first of two who approve
  stands boolean not null,
  decided_by uuid not null references users,
  decided_at timestamptz(3) not null default bank_now(),
  -- for the staff
  note text check (char_length(note) between 1 and 2000),
  message text,
  code text,
  final boolean,
  items jsonb not null default '[]',
  snapshot jsonb not null
);
create index kyc_decisions_application on kyc_decisions (application_id, id);
grant select on kyc_decisions to teller_app;

-- the same file from two people is a sign of fraud
create index uploads_sha256 on uploads (sha256) where status = 'confirmed';

-- somebody may have taken back what they had submitted
alter table users drop constraint users_kyc_status_check;
alter table users add constraint users_kyc_status_check check (kyc_status in ('none', 'draft', 'submitted',
  'in_review', 'changes_requested', 'approved', 'rejected', 'skipped', 'expired', 'withdrawn'));

-- the name on an application may be another one than that of the profile
alter table screening_parties drop constraint screening_parties_party_type_check;
alter table screening_parties add constraint screening_parties_party_type_check
  check (party_type in ('customer', 'beneficiary', 'kyc_application'));
alter table screening_hits drop constraint screening_hits_party_type_check;
alter table screening_hits add constraint screening_hits_party_type_check
  check (party_type in ('customer', 'beneficiary', 'kyc_application'));
alter table screening_clearances drop constraint screening_clearances_party_type_check;
alter table screening_clearances add constraint screening_clearances_party_type_check
  check (party_type in ('customer', 'beneficiary', 'kyc_application'));

-- what has become of it is in the event
update notification_types set enabled = true, updated_at = bank_now(),
    channels_allowed = channels_allowed || '{push}', channels_default = channels_default || '{push}',
    variables = '[{"name": "state", "type": "text", "sample": "approved", "personal": false}]'
  where code = 'kyc_update';

with news(locale, text) as (values
  ('en', '{% case state %}'
    '{% when ''approved'' %}We have checked your identity. Everything is in order.'
    '{% when ''rejected'' %}We could not confirm your identity. Open the app to see why.'
    '{% when ''changes_requested'' %}We need something more from you to check your identity. Open the app to '
    'see what.{% when ''expired'' %}Your identity check has ended, because something was missing for too '
    'long. You can begin a new one.{% else %}Something is still missing for your identity check. Open the '
    'app to see what.{% endcase %}'),
  ('de', '{% case state %}'
    '{% when ''approved'' %}Wir haben Ihre Identität geprüft. Alles ist in Ordnung.'
    '{% when ''rejected'' %}Wir konnten Ihre Identität nicht bestätigen. Den Grund sehen Sie in der App.'
    '{% when ''changes_requested'' %}Für Ihre Identitätsprüfung brauchen wir noch etwas von Ihnen. Was, '
    'sehen Sie in der App.{% when ''expired'' %}Ihre Identitätsprüfung ist beendet, weil zu lange etwas '
    'fehlte. Sie können eine neue beginnen.{% else %}Für Ihre Identitätsprüfung fehlt noch etwas. Was, '
    'sehen Sie in der App.{% endcase %}')
)
insert into notification_templates
    (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select 'kyc_update', t.channel, t.locale, t.subject, replace(t.body, '<news>', n.text), 'live',
         bank_now(), bank_now()
    from (values
  ('in_app', 'en', 'Your identity check', '<news>'),
  ('email', 'en', 'Your identity check', E'<news>\n'),
  ('sms', 'en', null, 'Teller: {% case state %}{% when ''approved'' %}your identity is checked.'
    '{% when ''rejected'' %}we could not confirm your identity. The app says why.'
    '{% when ''changes_requested'' %}we need something more to check your identity. The app says what.'
    '{% when ''expired'' %}your identity check has ended. You can begin a new one.'
    '{% else %}something is missing for your identity check. The app says what.{% endcase %}'),
  ('push', 'en', 'Your identity check', 'Open the app to read it.'),
  ('in_app', 'de', 'Ihre Identitätsprüfung', '<news>'),
  ('email', 'de', 'Ihre Identitätsprüfung', E'<news>\n'),
  ('sms', 'de', null, 'Teller: {% case state %}{% when ''approved'' %}Ihre Identität ist geprüft.'
    '{% when ''rejected'' %}Ihre Identität ist nicht bestätigt. Den Grund nennt die App.'
    '{% when ''changes_requested'' %}Für die Identitätsprüfung fehlt etwas. Was, sagt die App.'
    '{% when ''expired'' %}Ihre Identitätsprüfung ist beendet. Sie können neu beginnen.'
    '{% else %}Für die Identitätsprüfung fehlt noch etwas. Was, sagt die App.{% endcase %}'),
  ('push', 'de', 'Ihre Identitätsprüfung', 'Zum Lesen bitte die App öffnen.')
  ) t(channel, locale, subject, body) join news n on n.locale = t.locale;

-- a database that has its triggers already has kept them by itself
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, created_at from notification_templates
    where type_code = 'kyc_update' on conflict do nothing;
