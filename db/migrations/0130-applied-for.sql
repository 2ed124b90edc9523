-- What submitted applications before risks were rated. No release has called it.
drop function if exists kyc_submit(uuid, uuid, jsonb, text[], int, boolean, int);
drop function if exists kyb_submit(uuid, uuid, jsonb, text[], int, boolean, int, jsonb);
