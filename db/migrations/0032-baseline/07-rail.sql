create table rail_payments (
  transfer_id uuid not null,
  message_id text not null,
  asset text not null,
  amount minor not null,
  created_at timestamp(3) with time zone not null default now(),
  delivered_at timestamp(3) with time zone,
  constraint rail_payments_pkey PRIMARY KEY (transfer_id),
  constraint rail_payments_message_id_key UNIQUE (message_id),
  constraint rail_payments_message_id_check CHECK (((char_length(message_id) >= 1) AND (char_length(message_id) <= 35))),
  constraint rail_payments_amount_check CHECK (((amount)::numeric > (0)::numeric))
);
grant select on rail_payments to teller_app;
grant insert (transfer_id, message_id, asset, amount) on rail_payments to teller_app;
grant update (delivered_at) on rail_payments to teller_app;

create table rail_messages (
  seq bigint not null generated always as identity,
  message_id text not null,
  transfer_id uuid not null,
  kind text not null,
  code text,
  reported_at timestamp(3) with time zone not null,
  folder text not null,
  file text not null,
  received_at timestamp(3) with time zone not null default now(),
  attempts integer not null default 0,
  due_at timestamp(3) with time zone not null default now(),
  handled_at timestamp(3) with time zone,
  constraint rail_messages_pkey PRIMARY KEY (seq),
  constraint rail_messages_message_id_key UNIQUE (message_id),
  constraint rail_messages_message_id_check CHECK (((char_length(message_id) >= 1) AND (char_length(message_id) <= 100))),
  constraint rail_messages_kind_check CHECK ((kind = ANY (ARRAY['accepted'::text, 'rejected'::text, 'settled'::text, 'returned'::text]))),
  constraint rail_messages_code_check CHECK (((char_length(code) >= 1) AND (char_length(code) <= 35))),
  constraint rail_messages_folder_check CHECK (((char_length(folder) >= 1) AND (char_length(folder) <= 500))),
  constraint rail_messages_file_check CHECK (((char_length(file) >= 1) AND (char_length(file) <= 1024))),
  constraint rail_messages_attempts_check CHECK ((attempts >= 0)),
  constraint rail_messages_reason CHECK (((code IS NOT NULL) = (kind = ANY (ARRAY['rejected'::text, 'returned'::text]))))
);
CREATE INDEX rail_messages_due ON public.rail_messages USING btree (folder, due_at) WHERE (handled_at IS NULL);
CREATE INDEX rail_messages_transfer ON public.rail_messages USING btree (transfer_id, seq);
grant select on rail_messages to teller_app;
grant insert (message_id, transfer_id, kind, code, reported_at, folder, file) on rail_messages to teller_app;
grant update (attempts, due_at, handled_at) on rail_messages to teller_app;
