create table messages (
  id uuid not null,
  user_id uuid,
  channel text not null,
  template text not null,
  locale text not null,
  sealed_content bytea,
  status text not null default 'queued'::text,
  attempts smallint not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  finished_at timestamp(3) with time zone,
  constraint messages_pkey PRIMARY KEY (id),
  constraint messages_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
  constraint messages_template_check CHECK ((template ~ '^[a-z][a-z0-9_]{1,63}$'::text)),
  constraint messages_locale_check CHECK (((char_length(locale) >= 2) AND (char_length(locale) <= 35))),
  constraint messages_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'delivered'::text, 'failed'::text]))),
  constraint messages_attempts_check CHECK ((attempts >= 0)),
  constraint messages_sealed_while_queued CHECK (((status = 'queued'::text) = (sealed_content IS NOT NULL))),
  constraint messages_finished CHECK (((status = 'queued'::text) = (finished_at IS NULL)))
);
CREATE INDEX messages_user ON public.messages USING btree (user_id, id) WHERE (user_id IS NOT NULL);
grant insert, select on messages to teller_app;
grant update (sealed_content, status, attempts, finished_at) on messages to teller_app;

create table uploads (
  id uuid not null,
  uploader_id uuid not null,
  file_name text not null,
  content_type text not null,
  declared_bytes bigint,
  declared_sha256 bytea,
  object_key text not null,
  status text not null default 'pending'::text,
  size_bytes bigint,
  sha256 bytea,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  finished_at timestamp(3) with time zone,
  constraint uploads_pkey PRIMARY KEY (id),
  constraint uploads_object_key_key UNIQUE (object_key),
  constraint uploads_file_name_check CHECK (((char_length(file_name) >= 1) AND (char_length(file_name) <= 255))),
  constraint uploads_content_type_check CHECK ((content_type ~ '^[a-z]+/[a-z0-9.+-]{1,100}$'::text)),
  constraint uploads_declared_bytes_check CHECK ((declared_bytes > 0)),
  constraint uploads_declared_sha256_check CHECK ((octet_length(declared_sha256) = 32)),
  constraint uploads_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'confirmed'::text, 'rejected'::text, 'expired'::text]))),
  constraint uploads_size_bytes_check CHECK (((size_bytes >= 1) AND (size_bytes <= 10485760))),
  constraint uploads_sha256_check CHECK ((octet_length(sha256) = 32)),
  constraint uploads_confirmed_was_read CHECK (((status = 'confirmed'::text) = ((size_bytes IS NOT NULL) AND (sha256 IS NOT NULL)))),
  constraint uploads_finished CHECK (((status = 'pending'::text) = (finished_at IS NULL))),
  constraint uploads_expire_later CHECK ((expires_at > created_at))
);
grant insert, select on uploads to teller_app;
grant update (status, size_bytes, sha256, finished_at) on uploads to teller_app;

create sequence ticket_numbers start 100001;
grant usage on sequence ticket_numbers to teller_app;
create table tickets (
  id uuid not null,
  number text not null default ('T-'::text || nextval('ticket_numbers'::regclass)),
  customer_id uuid not null,
  subject text not null,
  category text not null,
  status text not null default 'open'::text,
  created_at timestamp(3) with time zone not null default now(),
  last_activity_at timestamp(3) with time zone not null default now(),
  closed_at timestamp(3) with time zone,
  closed_by uuid,
  close_reason text,
  constraint tickets_pkey PRIMARY KEY (id),
  constraint tickets_number_key UNIQUE (number),
  constraint tickets_subject_check CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 200))),
  constraint tickets_category_check CHECK ((category = ANY (ARRAY['account'::text, 'transfer'::text, 'card'::text, 'crypto'::text, 'security'::text, 'other'::text]))),
  constraint tickets_status_check CHECK ((status = ANY (ARRAY['open'::text, 'waiting_for_customer'::text, 'waiting_for_support'::text, 'closed'::text]))),
  constraint tickets_close_reason_check CHECK (((char_length(close_reason) >= 1) AND (char_length(close_reason) <= 500))),
  constraint tickets_closed CHECK (((status = 'closed'::text) = (closed_at IS NOT NULL))),
  constraint tickets_closed_by CHECK (((status = 'closed'::text) OR ((closed_by IS NULL) AND (close_reason IS NULL))))
);
CREATE INDEX tickets_customer ON public.tickets USING btree (customer_id, id);
CREATE INDEX tickets_status ON public.tickets USING btree (status, id);
grant insert, select on tickets to teller_app;
grant update (status, last_activity_at, closed_at, closed_by, close_reason) on tickets to teller_app;

create table ticket_messages (
  id uuid not null,
  ticket_id uuid not null,
  author_id uuid not null,
  side text not null,
  body text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint ticket_messages_pkey PRIMARY KEY (id),
  constraint ticket_messages_side_check CHECK ((side = ANY (ARRAY['customer'::text, 'support'::text]))),
  constraint ticket_messages_body_check CHECK (((char_length(body) >= 1) AND (char_length(body) <= 10000)))
);
CREATE INDEX ticket_messages_ticket ON public.ticket_messages USING btree (ticket_id, id);
grant insert, select on ticket_messages to teller_app;

create table ticket_attachments (
  upload_id uuid not null,
  message_id uuid not null,
  constraint ticket_attachments_pkey PRIMARY KEY (upload_id)
);
CREATE INDEX ticket_attachments_message ON public.ticket_attachments USING btree (message_id, upload_id);
grant insert, select on ticket_attachments to teller_app;
