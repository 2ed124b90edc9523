-- What defends the rows of card payments, and what follows from them: a hold that has run out, and news for
-- the holder.

-- Refuses to make another payment of a payment. What it is for stands once something was authorised.
create or replace function check_card_payment_change() returns trigger language plpgsql as $$
begin
  if (new.id, new.network_id, new.card_id, new.owner_id, new.account_id, new.asset, new.created_at)
       is distinct from (old.id, old.network_id, old.card_id, old.owner_id, old.account_id, old.asset,
      old.created_at)
     or (old.authorised > 0 and new.purpose <> old.purpose)
     or (old.hold_id is not null and new.hold_id is distinct from old.hold_id) then
    raise exception 'card payment % stands', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create or replace trigger card_payments_change before update on card_payments
  for each row execute function check_card_payment_change();
create or replace trigger card_payments_never_deleted before delete on card_payments
  for each row execute function refuse_change();
create or replace trigger card_messages_append_only before update or delete on card_messages
  for each row execute function refuse_change();
create or replace trigger card_messages_no_truncate before truncate on card_messages
  for each statement execute function refuse_change();

-- Ends what all messages of a payment until now have open.
create or replace function card_payment_lapse(p card_payments) returns void
language plpgsql set search_path = public, pg_temp as $$
declare messages card_messages[] := card_messages_of(p.id); folded record;
begin
  p.lapsed_places := p.lapsed_places || cardinality(messages);
  select * into folded from card_fold(p, messages);
  perform card_payment_keep(folded.p, messages, folded.used);
end $$;

-- Ends what a payment had open, because its hold has run out.
create or replace function card_hold_ran_out() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare p card_payments;
begin
  select * into strict p from card_payments x where x.id = new.source_id for update;
  perform limit_lock(array[p.owner_id]);
  perform card_payment_lapse(p);
  return null;
end $$;
create or replace trigger holds_card_ran_out after update of status on holds
  for each row when (new.status = 'expired' and old.status = 'open' and new.source_type = 'card_payment')
  execute function card_hold_ran_out();

-- Notes for the holder that a payment was approved or declined. Those that ask for nothing are no news.
create or replace function tell_of_card_payment() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare news text;
begin
  if new.declined_at is not null
      and (tg_op = 'INSERT' or new.declined_at is distinct from old.declined_at) then
    news := 'card_declined';
  elsif new.status = 'authorised' and (tg_op = 'INSERT' or old.status <> 'authorised') then
    news := 'card_payment';
  end if;
  if news is not null then
    insert into events (type, user_id, subject, waiting, created_at)
      values (news, new.owner_id, new.id, true, bank_now());
  end if;
  return null;
end $$;
create or replace trigger card_payments_told after insert or update on card_payments
  for each row execute function tell_of_card_payment();

-- Lets go of all that a payment still holds, because the bank knows that no clearing will come. Returns why
-- not: not_found or nothing_held.
create or replace function card_payment_release(payment uuid, by_person uuid) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare p card_payments;
begin
  perform from require_action(by_person, 'cards:write');
  select * into p from card_payments y where y.id = payment;
  if p.id is null then return 'not_found'; end if;
  perform pg_advisory_xact_lock(hashtextextended(p.network_id, 7311));
  perform 1 from accounts b where b.id = p.account_id for no key update;
  perform limit_lock(array[p.owner_id]);
  -- as it is under the locks
  select * into p from card_payments z where z.id = payment;
  if card_open(p) <= 0 then return 'nothing_held'; end if;
  if p.hold_id is not null then perform hold_release(p.hold_id); end if;
  perform card_payment_lapse(p);
  return null;
end $$;
grant execute on function card_payment_release to teller_app;
