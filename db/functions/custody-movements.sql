-- What moves at the custodian for the bank itself, and what of it is booked. Only these functions write.

-- Notes what the custodian says, having been asked, of something that moves the bank's coins and is nobody's
-- deposit, and books it once that is final, or takes it back if the chain has.
--
-- t: { custody_id, part, vault, role, status, updated_at, asset, network, chain_amount }
-- `chain_amount` is what it brings to the vault, as it is told now: negative if it goes, zero if nothing
-- moves. Words that are older than what is known change nothing.
create or replace function custody_movement_note(t jsonb) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  m custody_movements; told_amount numeric := (t->>'chain_amount')::numeric; told_status text := t->>'status';
  updated timestamptz(3) := (t->>'updated_at')::timestamptz; wanted numeric;
begin
  if told_amount <> 0 then
    insert into custody_movements (custody_id, part, vault, role, asset, network, chain_amount,
        custody_status, custody_updated)
      values (t->>'custody_id', t->>'part', t->>'vault', t->>'role', t->>'asset', t->>'network', told_amount,
        'moving', '-infinity')
      on conflict do nothing;
  end if;
  select * into m from custody_movements x
    where (x.custody_id, x.part) = (t->>'custody_id', t->>'part') for update;
  if m.id is null or updated < m.custody_updated
     or (updated = m.custody_updated and told_status = 'moving') then
    return;
  end if;
  wanted := case told_status when 'moving' then 0 else told_amount end;
  if wanted <> m.booked then perform custody_movement_book(m, wanted - m.booked); end if;
  update custody_movements x set chain_amount = told_amount, booked = wanted, custody_status = told_status,
      custody_updated = updated
    where x.id = m.id;
end $$;

-- Books so much of a movement, in the smallest unit of the chain, or takes it back.
create or replace function custody_movement_book(m custody_movements, chain_amount numeric) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  booking uuid := uuidv7(); transaction uuid := uuidv7(); verdict text;
  units numeric := crypto_units_move(m.asset, m.network, chain_amount);
begin
  if units <> 0 then
    select p.verdict into strict verdict from ledger_post(jsonb_build_array(jsonb_build_object(
      'id', transaction, 'kind', 'custody_movement', 'source_type', 'custody_movement', 'source_id', booking,
      'description', case m.role when 'crypto_position' then 'Coins of the bank on '
        when 'custody_transit' then 'Between vaults on ' else 'Fees and gas on ' end || m.network,
      'entries', jsonb_build_array(
        jsonb_build_object('account', house_account('custody', m.asset, booking), 'asset', m.asset,
          'amount', (- units)::text),
        jsonb_build_object('account', house_account(m.role, m.asset, booking), 'asset', m.asset,
          'amount', units::text))))) p;
    if verdict <> 'posted' then
      raise exception 'movement % cannot be booked: %', m.id, verdict;
    end if;
  end if;
  insert into custody_movement_bookings (id, movement_id, chain_amount, transaction_id)
    values (booking, m.id, chain_amount, case when units <> 0 then transaction end);
end $$;

-- Refuses a change of what a movement is.
create or replace function check_custody_movement_change() returns trigger language plpgsql as $$
begin
  if (new.id, new.custody_id, new.part, new.vault, new.role, new.asset, new.network)
     is distinct from (old.id, old.custody_id, old.part, old.vault, old.role, old.asset, old.network) then
    raise exception 'a movement never changes its coin or its place' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger custody_movements_change before update on custody_movements
  for each row execute function check_custody_movement_change();
create or replace trigger custody_movements_never_deleted before delete on custody_movements
  for each row execute function refuse_change();
create or replace trigger custody_movement_bookings_append_only before update or delete
  on custody_movement_bookings for each row execute function refuse_change();

grant execute on function custody_movement_note to teller_app;
