-- The money-laundering watch judges deposits of coins before they are credited.
alter table crypto_deposits drop constraint crypto_deposits_fault_check;
alter table crypto_deposits add constraint crypto_deposits_fault_check check (fault in ('no_memo',
  'unknown_memo', 'unknown_address', 'told_otherwise', 'aml_review')) not valid;
alter table crypto_deposits validate constraint crypto_deposits_fault_check;

-- what a chain has taken back and brings again is another movement: of a subject, one counts at most
alter table aml_movements drop constraint aml_movements_once,
  add constraint aml_movements_once unique nulls not distinct (subject_id, direction, ended_at);
