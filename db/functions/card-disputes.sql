-- Disputes of card payments, and the money that is given and taken for them. What the network owes for claims
-- stands in the house account `disputes` until it has answered. Each function locks the payment first, as
-- everything does that changes one.

-- Returns what of a payment can still be disputed: what was booked, but for what came back, for what is
-- disputed or was won, and for what was lost. A refund may be of what was lost.
create or replace function card_disputable(p card_payments) returns numeric
language sql stable set search_path = public, pg_temp as $$
  select greatest(p.cleared
      - coalesce(sum(d.amount - d.refunded) filter (where d.status in ('in_review', 'filed', 'won')), 0)
      - greatest(p.refunded, coalesce(sum(d.amount - d.refunded) filter (where d.status = 'lost'), 0)), 0)
    from card_disputes d where d.payment_id = p.id
$$;

-- Returns whether the holder has got more back than was booked: by the merchant, and by disputes that were
-- won.
create or replace function card_dispute_paid_twice(p card_payments) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select p.refunded + coalesce(sum(d.amount - d.refunded), 0) > p.cleared and count(*) > 0
    from card_disputes d where d.payment_id = p.id and d.status = 'won'
$$;

-- Returns what the network is to find claimed for a dispute; null if it need not hear of it.
create or replace function card_dispute_claim(d card_disputes) returns numeric
language sql immutable as $$
  select case when d.credited = 0 then null when d.status = 'filed' then d.amount - d.refunded
    when d.status in ('withdrawn', 'refunded') then 0 else d.claimed end
$$;
grant execute on function card_dispute_claim to teller_app;

-- Returns whether the network finds something else claimed than it should.
create or replace function card_dispute_untold(d card_disputes) returns boolean
language sql immutable set search_path = public, pg_temp as $$
  select d.claimed is distinct from card_dispute_claim(d)
$$;
grant execute on function card_dispute_untold to teller_app;

-- Returns a dispute under the locks of its payment and of itself; null if there is none, or none of this
-- owner.
create or replace function card_dispute_locked(dispute uuid, owner uuid) returns card_disputes
language plpgsql set search_path = public, pg_temp as $$
declare d card_disputes;
begin
  perform pg_advisory_xact_lock(hashtextextended(p.network_id, 7311))
    from card_disputes x join card_payments p on p.id = x.payment_id
    where x.id = dispute and x.owner_id = coalesce(owner, x.owner_id);
  if not found then return null; end if;
  select * into d from card_disputes x where x.id = dispute for no key update;
  return d;
end $$;

-- Opens a dispute of so much of a payment, or of all that can be disputed if nothing is said, up to so many
-- days after it was booked. Its decision is due after so many business days. Returns why not: not_found,
-- nothing_to_dispute, dispute_open, dispute_too_late, or dispute_too_large with the most that could be.
create or replace function card_dispute_open(
  dispute uuid, payment uuid, owner uuid, why text, story text, wanted numeric, within_days int,
  review_days int, out refusal text, out most numeric
) language plpgsql security definer set search_path = public, pg_temp as $$
declare p card_payments;
begin
  select * into p from card_payments x where x.id = payment and x.owner_id = owner;
  if p.id is null then
    refusal := 'not_found';
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(p.network_id, 7311));
  -- as it is under the lock
  select * into p from card_payments x where x.id = payment;
  most := card_disputable(p);
  refusal := case
    when exists (select from card_disputes d where d.payment_id = payment and d.ended_at is null)
      then 'dispute_open'
    when most = 0 then 'nothing_to_dispute'
    when (select max(r.booked_at) from card_clearings r where r.payment_id = payment and r.kind <> 'refund')
      < bank_now() - make_interval(days => within_days) then 'dispute_too_late'
    when wanted > most then 'dispute_too_large' end;
  if refusal is not null then return; end if;
  insert into card_disputes (id, payment_id, owner_id, asset, reason, explanation, amount, due_at)
    values (dispute, p.id, p.owner_id, p.asset, why, story, coalesce(wanted, most),
      business_due(bank_now(), review_days * business_hours_a_day()));
end $$;
grant execute on function card_dispute_open to teller_app;

-- Books for a dispute: the credit, its reversal, or what the network pays. `fee` is the part of the amount
-- that gives fees back, or takes them again. A reversal takes from the account that was credited; what the
-- bank has in the place of a holder's account names that account. House accounts are those of `spread`.
-- Returns the account that was credited or debited.
create or replace function card_dispute_post(
  d card_disputes, what text, amount numeric, fee numeric, spread uuid
) returns uuid
language plpgsql set search_path = public, pg_temp as $$
declare
  transaction uuid := uuidv7(); posting uuid := uuidv7(); p card_payments; verdict text; entries jsonb;
  direction int := case what when 'dispute_credit' then 1 else -1 end; account uuid; touched uuid; line jsonb;
begin
  select * into strict p from card_payments x where x.id = d.payment_id;
  line := card_line(p.merchant, (select c.last_four from cards c where c.id = p.card_id), d.asset, amount,
    d.asset, amount, false);
  account := case what when 'dispute_settlement' then house_account('nostro', d.asset, spread)
    else coalesce(d.credited_account_id, p.account_id) end;
  select jsonb_agg(jsonb_build_object('account', e.account, 'asset', d.asset,
        'amount', (direction * e.amount)::text, 'part', e.part) order by e.n)
    into entries
    from (values
      (1, account, amount - fee, 'principal'),
      (2, house_account('disputes', d.asset, spread), fee - amount, 'principal'),
      (3, account, fee, 'fee'),
      (4, house_account('card_fees', d.asset, spread), -fee, 'fee')) e(n, account, amount, part)
    where e.amount <> 0;
  select x.verdict into verdict from ledger_post(jsonb_build_array(jsonb_build_object('id', transaction,
    'source_type', 'card_dispute', 'source_id', posting, 'kind', what, 'must', what <> 'dispute_settlement',
    'spread', spread, 'entries', entries,
    'description', left(case what when 'dispute_credit' then 'Dispute, credited for now: '
      else 'Dispute, taken back: ' end || (line->>'description'), 140),
    'metadata', line->'metadata'
      || jsonb_build_object('card_dispute', d.id, 'card_payment', d.payment_id)
      || case when d.credited_account_id <> p.account_id
        then jsonb_build_object('for_account', p.account_id) else '{}' end))) x;
  if verdict <> 'posted' then raise exception 'dispute % is not booked: %', d.id, verdict; end if;
  insert into card_dispute_postings (id, dispute_id, kind, amount, transaction_id)
    values (posting, d.id, what, amount, transaction);
  select e.account_id into strict touched from ledger_entries e
    where e.transaction_id = transaction and e.part = 'principal' and direction * e.amount > 0;
  return touched;
end $$;

-- Returns the part of the fees of a payment that belongs to what is disputed: what somebody else has paid
-- costs nothing.
create or replace function card_dispute_fee(d card_disputes) returns numeric
language sql stable set search_path = public, pg_temp as $$
  select case when d.reason <> 'unauthorised' then 0 else
      least(round(p.booked_fees * (d.amount - d.refunded) / p.cleared), p.booked_fees - (
        select coalesce(sum(o.credited_fee), 0) from card_disputes o
          where o.payment_id = p.id and o.status in ('won', 'refunded'))) end
    from card_payments p where p.id = d.payment_id
$$;

-- Takes the provisional credit back as far as it was not taken back, and returns the dispute with that.
create or replace function card_dispute_reversed(d card_disputes) returns card_disputes
language plpgsql set search_path = public, pg_temp as $$
begin
  if d.credited > d.taken_back then
    perform card_dispute_post(d, 'dispute_reversal', d.credited - d.taken_back, d.credited_fee, d.id);
    d.taken_back := d.credited;
  end if;
  return d;
end $$;

-- Writes a dispute as it is now.
create or replace function card_dispute_keep(d card_disputes) returns void
language sql set search_path = public, pg_temp as $$
  update card_disputes x set status = d.status, refunded = d.refunded, first_by = d.first_by,
      first_at = d.first_at, decided_by = d.decided_by, decided_at = d.decided_at,
      decision_reason = d.decision_reason, credited = d.credited, credited_fee = d.credited_fee,
      taken_back = d.taken_back, credited_account_id = d.credited_account_id, due_at = d.due_at,
      reminded_at = d.reminded_at,
      ended_at = case when d.status not in ('in_review', 'filed') then coalesce(d.ended_at, bank_now()) end,
      updated_at = bank_now()
    where x.id = d.id
$$;

-- Lets go of what the merchant of a payment has given back: it is disputed no more, and what was given for it
-- is taken back. A dispute ends when nothing of it is left. In the transaction that books the refund, under
-- the locks of its payment and of all accounts, so that nobody ever has both.
create or replace function card_dispute_refunded(payment uuid, spread uuid) returns void
language plpgsql set search_path = public, pg_temp as $$
declare d card_disputes; room numeric; more numeric;
begin
  select * into d from card_disputes x where x.payment_id = payment and x.ended_at is null
    for no key update;
  if d.id is null then return; end if;
  select p.cleared - p.refunded - coalesce((select sum(o.amount - o.refunded) from card_disputes o
      where o.payment_id = p.id and o.status = 'won'), 0)
    into room from card_payments p where p.id = payment;
  more := d.amount - d.refunded - greatest(room, 0);
  if more <= 0 then return; end if;
  if d.status = 'filed' then
    perform card_dispute_post(d, 'dispute_reversal', more, 0, spread);
    d.taken_back := d.taken_back + more;
  end if;
  d.refunded := d.refunded + more;
  if d.refunded = d.amount then d.status := 'refunded'; end if;
  perform card_dispute_keep(d);
end $$;

-- Accepts a dispute, so that it goes to the network and its holder has the money meanwhile, or rejects it.
-- What is accepted above `alone` takes a second, independent person: needs_second until then. The network is
-- to answer within so many days. Returns why not: not_found, already_decided or same_person.
create or replace function card_dispute_decide(
  dispute uuid, actor uuid, wanted text, why text, alone numeric, network_days int,
  out refusal text, out needs_second boolean
) language plpgsql security definer set search_path = public, pg_temp as $$
declare d card_disputes; fee numeric;
begin
  perform require_action(actor, 'cards:write');
  d := card_dispute_locked(dispute, null);
  needs_second := false;
  refusal := case
    when d.id is null then 'not_found'
    when d.status <> 'in_review' then 'already_decided'
    when actor = d.owner_id
      or wanted = 'accept' and d.first_by is not null and not independent_of(actor, d.first_by)
      then 'same_person' end;
  if refusal is not null then return; end if;
  fee := card_dispute_fee(d);
  needs_second := wanted = 'accept' and d.first_by is null and d.amount - d.refunded + fee > alone;
  if needs_second then
    d.first_by := actor;
    d.first_at := bank_now();
  else
    d.decided_by := actor;
    d.decided_at := bank_now();
    d.decision_reason := why;
    d.status := case wanted when 'accept' then 'filed' else 'rejected' end;
  end if;
  if d.status = 'filed' then
    d.credited_fee := fee;
    d.credited := d.amount - d.refunded + fee;
    d.credited_account_id := card_dispute_post(d, 'dispute_credit', d.credited, fee, d.id);
    d.due_at := bank_now() + make_interval(days => network_days);
    d.reminded_at := null;
  end if;
  perform card_dispute_keep(d);
end $$;
grant execute on function card_dispute_decide to teller_app;

-- Ends a dispute that its holder does not want any more; what was given is taken back. Returns why not:
-- not_found or already_decided.
create or replace function card_dispute_withdraw(dispute uuid, owner uuid) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare d card_disputes;
begin
  d := card_dispute_locked(dispute, owner);
  if d.id is null then return 'not_found'; end if;
  if d.ended_at is not null then return 'already_decided'; end if;
  d := card_dispute_reversed(d);
  d.status := 'withdrawn';
  perform card_dispute_keep(d);
  return null;
end $$;
grant execute on function card_dispute_withdraw to teller_app;

-- Books what the network has decided: 'won', and it pays, or 'lost', and the holder does. The same again
-- changes nothing. Returns whether it has changed something, or why not: not_found, not_filed or
-- already_decided.
create or replace function card_dispute_settle(
  dispute uuid, outcome text, out refusal text, out is_changed boolean
) language plpgsql security definer set search_path = public, pg_temp as $$
declare d card_disputes;
begin
  d := card_dispute_locked(dispute, null);
  is_changed := coalesce(d.status = 'filed', false);
  refusal := case when d.id is null then 'not_found' when is_changed or d.status = outcome then null
    when d.status = 'in_review' then 'not_filed' else 'already_decided' end;
  if not is_changed then return; end if;
  if outcome = 'won' then
    perform card_dispute_post(d, 'dispute_settlement', d.amount - d.refunded, 0, d.id);
  else
    d := card_dispute_reversed(d);
  end if;
  d.status := outcome;
  perform card_dispute_keep(d);
end $$;
grant execute on function card_dispute_settle to teller_app;

-- Does what is due of a dispute, as often as it is asked. Says how it is then, whether people are to be
-- reminded of it now and whether they were, whether the network is to be told of it, and after how many
-- seconds to look again.
create or replace function card_dispute_advance(
  dispute uuid, out state text, out is_due boolean, out is_overdue boolean, out is_untold boolean,
  out look_again_seconds bigint
) language plpgsql security definer set search_path = public, pg_temp as $$
declare d card_disputes;
begin
  d := card_dispute_locked(dispute, null);
  state := coalesce(d.status, 'withdrawn');
  is_due := coalesce(d.ended_at is null and d.reminded_at is null and d.due_at <= bank_now(), false);
  if is_due then
    d.reminded_at := bank_now();
    perform card_dispute_keep(d);
  end if;
  is_overdue := d.id is not null and d.ended_at is null and d.reminded_at is not null;
  is_untold := coalesce(card_dispute_untold(d), false);
  look_again_seconds := case
    when d.id is null or d.ended_at is not null then 0
    when is_overdue then 86400
    else greatest(1, ceil(extract(epoch from d.due_at - bank_now()))) end;
end $$;
grant execute on function card_dispute_advance to teller_app;

-- Notes what the network finds claimed for a dispute.
create or replace function card_dispute_told(dispute uuid, claim numeric) returns void
language sql security definer set search_path = public, pg_temp as $$
  update card_disputes d set claimed = claim where d.id = dispute and d.credited > 0
$$;
grant execute on function card_dispute_told to teller_app;

-- Returns a dispute, and keeps others from adding files to it until the transaction ends.
create or replace function card_dispute_for_files(dispute uuid) returns card_disputes
language sql security definer set search_path = public, pg_temp as $$
  select d from card_disputes d where d.id = dispute for no key update
$$;
grant execute on function card_dispute_for_files to teller_app;

-- Refuses to change what a dispute says and how it has ended.
create or replace function check_card_dispute_change() returns trigger language plpgsql as $$
declare
  what_may_change constant text[] := array['status', 'refunded', 'first_by', 'first_at', 'decided_by',
    'decided_at', 'decision_reason', 'credited', 'credited_fee', 'taken_back', 'credited_account_id',
    'due_at', 'reminded_at', 'claimed', 'ended_at', 'updated_at'];
begin
  if to_jsonb(new) - what_may_change is distinct from to_jsonb(old) - what_may_change
     or old.ended_at is not null and to_jsonb(new) - 'claimed' is distinct from to_jsonb(old) - 'claimed'
     or old.decided_by is not null and (new.decided_by, new.decided_at, new.decision_reason, new.credited,
         new.credited_fee, new.credited_account_id) is distinct from (old.decided_by, old.decided_at,
         old.decision_reason, old.credited, old.credited_fee, old.credited_account_id)
     or old.status = 'filed' and new.status in ('in_review', 'rejected')
     or new.refunded < old.refunded or new.taken_back < old.taken_back then
    raise exception 'what dispute % says stands', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create or replace trigger card_disputes_change before update on card_disputes
  for each row execute function check_card_dispute_change();
create or replace trigger card_disputes_never_deleted before delete on card_disputes
  for each row execute function refuse_change();
create or replace trigger card_dispute_postings_append_only before update or delete on card_dispute_postings
  for each row execute function refuse_change();

-- Tells the process of a dispute that it has gone on, and its holder of what somebody else has done; not of
-- money that waits with the bank, because their account cannot take it.
create or replace function tell_card_dispute() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into process_updates (workflow_id, update_id, name, input)
    values ('card-dispute/' || new.id, new.status || '/' || new.refunded, 'changed',
      jsonb_build_object('id', new.id))
    on conflict (workflow_id, update_id) do nothing;
  if new.status not in (old.status, 'withdrawn') and not exists (select from card_payments p
      where p.id = new.payment_id and p.account_id <> new.credited_account_id) then
    insert into events (type, user_id, subject, state, waiting, created_at)
      values ('dispute_update', new.owner_id, new.id, new.status, true, bank_now());
  end if;
  return null;
end $$;
create or replace trigger card_disputes_told after update of status, refunded on card_disputes for each row
  when ((new.status, new.refunded) is distinct from (old.status, old.refunded))
  execute function tell_card_dispute();
