-- A transfer that waits for its approval can fail without one if a step of it can never be carried out:
-- nothing was booked, and its money is released. Whatever was booked still has its second pair of eyes.

alter table transfers drop constraint transfers_four_eyes;
alter table transfers add constraint transfers_four_eyes check
  (not requires_approval or status in ('pending_approval', 'rejected', 'cancelled', 'expired')
   or (status = 'failed' and transaction_id is null)
   or (approved_by is not null and approved_by <> requested_by and approved_by <> customer_id)) not valid;
alter table transfers validate constraint transfers_four_eyes;
