-- Doors of the release before, which took orders and decisions without asking who gives them.
drop function if exists transfers_open;
drop function if exists transfer_open;
drop function if exists transfer_decide;
