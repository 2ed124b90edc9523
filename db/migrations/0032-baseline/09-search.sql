-- What customers search: the words of their entries. Only triggers write these tables
-- (db/functions/search.sql).

-- The words of a customer's entry; 'kind:…' among them is no word that anybody can type.
create table entry_words (
  owner_id uuid not null,
  booked_at timestamptz(3) not null,
  account_id uuid not null,
  seq bigint not null,
  words text[] not null,
  primary key (owner_id, booked_at, account_id, seq)
);
-- what is new waits in a short list that every search reads too; a long one would make searches and one
-- unlucky writer wait
create index entry_words_find on entry_words using gin (owner_id, words) with (gin_pending_list_limit = 512);
grant select on entry_words to teller_app;

-- Every word of a customer once: small beside the entries, so that it can be looked through for words that
-- are spelt almost so. Not unique: two postings at the same moment must not wait for each other over a word.
create table search_words (
  owner_id uuid not null,
  word text collate "C" not null
);
create index search_words_of on search_words (owner_id, word);
grant select on search_words to teller_app;
