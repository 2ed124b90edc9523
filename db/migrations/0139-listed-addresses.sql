-- Addresses of coins that stand on sanctions lists, and deposits by where they came from and what is told of
-- them.
create index screening_entries_addresses on screening_entries using gin ((lower(jsonb_path_query_array(
  details, '$.identifiers[*] ? (@.type == "crypto_address").value')::text)::jsonb))
  with (fastupdate = off) where removed_version is null;
create index crypto_deposits_source on crypto_deposits (lower(source_address), id);

-- it says more of what it notes
drop function if exists crypto_deposit_note(jsonb);
