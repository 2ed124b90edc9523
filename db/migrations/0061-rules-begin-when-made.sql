-- A version of a fee rule begins no earlier than it was made. While bank_now() goes on within a transaction,
-- its beginning does not; so the row is dated by it, and whoever lets the rule begin now is never too early.

alter table fee_rule_versions alter column created_at
  set default date_trunc('milliseconds', bank_now() - (clock_timestamp() - now()));
