create table entry_words (
  owner_id uuid not null,
  booked_at timestamp(3) with time zone not null,
  account_id uuid not null,
  seq bigint not null,
  words text[] not null,
  constraint entry_words_pkey PRIMARY KEY (owner_id, booked_at, account_id, seq)
);
CREATE INDEX entry_words_find ON public.entry_words USING gin (owner_id, words) WITH (gin_pending_list_limit='512');
grant select on entry_words to teller_app;

create table search_words (
  owner_id uuid not null,
  word text collate "C" not null
);
CREATE INDEX search_words_of ON public.search_words USING btree (owner_id, word);
grant select on search_words to teller_app;
