-- From a line of the access log to what the request has moved, and back.

alter table transfers add column origin_request_id text;
-- no row has one yet, so the index is empty
create index transfers_request on transfers (origin_request_id) where origin_request_id is not null;
create index audit_log_request on audit_log (request_id) where request_id is not null;
create index transfer_decisions_request on transfer_decisions (request_id) where request_id is not null;

-- Until when a session may read process histories in the Temporal Web UI, unless it reads again.
alter table sessions add column reading_until timestamptz(3);
grant update (reading_until) on sessions to teller_app;
