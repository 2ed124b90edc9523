-- A step-up for money that leaves is linked to one request: its hash, and what the payer is told of it. A
-- step-up of an administrator renews the second factor.

alter table challenges
  -- of path and canonical body, base64url
  add column request_hash text check (char_length(request_hash) = 43),
  -- amount and payee in the payer's language, to be sent again with another code
  add column approval text check (char_length(approval) between 1 and 300),
  add constraint challenges_linked check
    ((request_hash is null) = (approval is null) and (request_hash is null or purpose = 'step_up'));

-- An administrator's step-up for a decision renews the second factor of the session for decisions only: it
-- must not open a change of factors, as proved_at does.
alter table sessions add column factor_at timestamptz(3);
grant update (factor_at) on sessions to teller_app;
