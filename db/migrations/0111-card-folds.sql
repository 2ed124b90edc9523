-- A card payment follows from its messages, in the order in which they were taken, and from when its hold
-- ended.

alter table card_messages
  -- which message of its payment it is
  add column place integer check (place > 0),
  -- the request that a reversal names
  add column reverses_stan text check (char_length(reverses_stan) between 1 and 32),
  add column reverses_rrn text check (char_length(reverses_rrn) between 1 and 32),
  add constraint card_messages_reverses check (num_nonnulls(reverses_stan, reverses_rrn) in (0, 2)
    and (reverses_stan is null or type = '0420'));
alter table card_messages disable trigger user;
-- until now a reversal of an amount with the keys of a request meant that request
update card_messages r set reverses_stan = r.stan, reverses_rrn = r.rrn
  where r.type = '0420' and r.amount is not null and exists (select from card_messages q
    where q.type = '0100' and q.payment_id = r.payment_id and q.stan = r.stan and q.rrn = r.rrn);
update card_messages m set place = o.place
  from (select x.id, row_number() over (partition by x.payment_id order by x.id) as place from card_messages x
    where x.payment_id is not null) o where o.id = m.id;
alter table card_messages enable trigger user;
alter table card_messages
  add constraint card_messages_placed check ((place is null) = (payment_id is null)),
  add constraint card_messages_place unique (payment_id, place);
-- networks give the same keys to messages of other payments
alter table card_messages drop constraint card_messages_key,
  add constraint card_messages_key unique (network_id, type, stan, rrn);
drop index card_messages_payment;
drop index card_messages_original;

alter table card_payments
  drop column overtaken,
  -- what its messages up to these places had open was not paid in time
  add column lapsed_places integer[] not null default '{}';
-- what is not held now is never held again, and what is held was opened last
update card_payments p set lapsed_places = array[(select max(y.place) from (
    select z.place, coalesce(sum(case when z.type <> '0420' then z.approved end)
        over (order by z.place desc rows between unbounded preceding and 1 preceding), 0) as opened_later
      from card_messages z where z.payment_id = p.id) y
    where y.opened_later >= greatest(p.authorised - p.reversed - p.cleared - p.lapsed, 0))]
  where p.lapsed > 0 or p.authorised <= p.reversed + p.cleared + p.lapsed;

-- what adds to a payment is counted on its own day, but is no further use
alter table limit_uses add column counts smallint not null default 1 check (counts in (0, 1));

drop function if exists limit_count(bigint, uuid, numeric, timestamptz);
drop function if exists limit_count_past(bigint, uuid[], numeric[], timestamptz[]);
drop function if exists card_payment_status(card_payments);
drop function if exists card_hold_wanted(card_payments);
drop function if exists card_hold(card_payments, boolean);
drop function if exists card_payment_of(cards, card_product_versions, jsonb, int);
drop function if exists card_payment_keep(card_payments);
drop function if exists card_more(card_payments, text, numeric);
drop function if exists card_add(card_payments, jsonb, numeric);
drop function if exists card_reverse(card_payments, jsonb);
drop function if exists card_fee(card_payments, numeric);
drop function if exists card_limit_count(card_payments);
drop function if exists card_control_refusal(cards, jsonb, card_payments, jsonb, numeric);
drop function if exists card_limit_refusal(cards, jsonb, card_payments, jsonb, numeric, numeric);
drop function if exists card_rule_refusal(card_payments, cards, card_product_versions, jsonb, numeric);
drop function if exists card_watch(card_payments, uuid, numeric, boolean);
drop function if exists card_authorise(card_payments, accounts, jsonb, numeric);
drop function if exists card_decide(
  card_payments, cards, card_product_versions, accounts, jsonb, jsonb, uuid);
drop function if exists card_advise(card_payments, jsonb, uuid);
